/* Runs the steps of cases, as `cases.rs` writes them out: for each a line `VERB COUNT`, then COUNT arguments, each a line
 * with its length (-1 when absent) and its bytes with a line end. Prints for each what it gives: a line `KIND LENGTH` and the
 * bytes with a line end. The step `end` frees everything that a case has made. Kinds: N nothing, T text, A absent text, J JSON, E error. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "promptweave_engine.h"

enum { MOST_COMPONENTS = 16, MOST_ARGUMENTS = 1 + 2 * MOST_COMPONENTS };

typedef struct {
    char verb[32];
    int count;
    promptweave_str args[MOST_ARGUMENTS];
} step;

static promptweave_engine *engine;
static promptweave_session *session;
static promptweave_prompt *prompt;
static promptweave_parser *parser;
static int is_late;

static promptweave_str str(const char *text) {
    promptweave_str lent = {text, strlen(text)};
    return lent;
}

/* What a component does. */
typedef struct {
    char behaviour[32];
    int calls;
} behaviour;

static void answer_behaviour(void *data, promptweave_str inputs, promptweave_answer *answer) {
    behaviour *own = data;
    if (strcmp(own->behaviour, "echo") == 0) {
        promptweave_answer_text(answer, inputs);
    } else if (strcmp(own->behaviour, "greets") == 0) {
        promptweave_answer_text(answer, str("hello"));
    } else if (strcmp(own->behaviour, "counts") == 0) {
        char text[32];
        snprintf(text, sizeof text, "call %d", __atomic_add_fetch(&own->calls, 1, __ATOMIC_RELAXED));
        promptweave_answer_text(answer, str(text));
    } else if (strcmp(own->behaviour, "throws") == 0) {
        promptweave_answer_error(answer, str("boom"));
    } else if (strcmp(own->behaviour, "wrong-type") == 0) {
        promptweave_answer_text(answer, str("\xff\xfe"));
    } else if (strcmp(own->behaviour, "blocks") == 0) {
        struct timespec time = {0, 400 * 1000 * 1000};
        nanosleep(&time, NULL);
        promptweave_answer_text(answer, str("late"));
    } else if (strcmp(own->behaviour, "reenters") == 0) {
        promptweave_prompt *built = NULL;
        promptweave_str none = {NULL, 0};
        promptweave_error *error = promptweave_engine_build(engine, str("{}"), none, &built);
        promptweave_answer_text(answer, str(error ? "refused" : "built"));
        promptweave_error_free(error);
        promptweave_prompt_free(built);
    }
}

static void give(char kind, promptweave_str text) {
    printf("%c %zu\n", kind, text.len);
    if (text.len) fwrite(text.ptr, 1, text.len, stdout);
    putchar('\n');
}

static void give_text(promptweave_text *text) {
    give('J', promptweave_text_view(text));
    promptweave_text_free(text);
}

static int failed(promptweave_error *error) {
    if (!error) return 0;
    promptweave_text *json = promptweave_error_json(error);
    give('E', promptweave_text_view(json));
    promptweave_text_free(json);
    promptweave_error_free(error);
    return 1;
}

/* The JSON that a call gave, unless it failed. */
static void json(promptweave_error *error, promptweave_text **text) {
    if (!failed(error)) give_text(*text);
}

static void nothing(promptweave_error *error) {
    promptweave_str none = {NULL, 0};
    if (!failed(error)) give('N', none);
}

static void lent(promptweave_error *error, promptweave_str *text) {
    if (!failed(error)) give(text->ptr ? 'T' : 'A', *text);
}

/* Arguments: options, then declaration and behaviour of each component. */
static void make_engine(step *step) {
    promptweave_component *components[MOST_COMPONENTS];
    size_t count = 0;
    promptweave_error *error = NULL;
    for (int at = 1; at + 1 < step->count && !error; at += 2) {
        behaviour *own = calloc(1, sizeof *own);
        memcpy(own->behaviour, step->args[at + 1].ptr, step->args[at + 1].len);
        is_late |= strcmp(own->behaviour, "blocks") == 0;
        error = promptweave_component_new(step->args[at], answer_behaviour, own, free, &components[count]);
        if (!error) count++;
    }
    if (!error)
        error = promptweave_engine_new(step->args[0], (const promptweave_component *const *)components, count, &engine);
    for (size_t at = 0; at < count; at++) promptweave_component_free(components[at]);
    nothing(error);
}

static void build(step *step) {
    promptweave_prompt *built = NULL;
    promptweave_error *error = session
        ? promptweave_session_build(session, step->args[0], step->args[1], &built)
        : promptweave_engine_build(engine, step->args[0], step->args[1], &built);
    if (!error) {
        promptweave_prompt_free(prompt);
        prompt = built;
    }
    nothing(error);
}

static void replace_session(promptweave_error *error, promptweave_session *made) {
    if (!error) {
        promptweave_session_free(session);
        session = made;
    }
    nothing(error);
}

static void save_restore(void) {
    promptweave_text *saved = NULL;
    promptweave_session *made = NULL;
    promptweave_str none = {NULL, 0};
    promptweave_error *error = promptweave_session_save(session, &saved);
    if (!error) error = promptweave_session_restore(engine, promptweave_text_view(saved), none, &made);
    promptweave_text_free(saved);
    replace_session(error, made);
}

static void deliver(step *step) {
    promptweave_text *payload = NULL, *diagnostics = NULL;
    if (failed(promptweave_prompt_deliver(prompt, step->args[0], step->args[1], &payload, &diagnostics))) return;
    promptweave_str body = promptweave_text_view(payload), told = promptweave_text_view(diagnostics);
    static const char *const parts[] = {"{\"payload\":", ",\"diagnostics\":", "}"};
    printf("J %zu\n%s", strlen(parts[0]) + body.len + strlen(parts[1]) + told.len + strlen(parts[2]), parts[0]);
    fwrite(body.ptr, 1, body.len, stdout);
    fputs(parts[1], stdout);
    fwrite(told.ptr, 1, told.len, stdout);
    printf("%s\n", parts[2]);
    promptweave_text_free(payload);
    promptweave_text_free(diagnostics);
}

static void make_parser(step *step) {
    promptweave_parser *made = NULL;
    promptweave_error *error = promptweave_parser_new(step->args[1].ptr ? NULL : engine, step->args[0], &made);
    if (!error) {
        promptweave_parser_free(parser);
        parser = made;
    }
    nothing(error);
}

static void end(void) {
    promptweave_parser_free(parser);
    promptweave_prompt_free(prompt);
    promptweave_session_free(session);
    promptweave_engine_free(engine);
    parser = NULL, prompt = NULL, session = NULL, engine = NULL;
    if (is_late) {
        /* What it left behind ends before the tools look for leaks. */
        struct timespec time = {0, 700 * 1000 * 1000};
        nanosleep(&time, NULL);
        is_late = 0;
    }
    if (promptweave_handles()) {
        fprintf(stderr, "%zu handles were not freed\n", promptweave_handles());
        exit(3);
    }
    nothing(NULL);
}

static void run(step *step) {
    promptweave_text *text = NULL;
    promptweave_str view = {NULL, 0};
    promptweave_session *made = NULL;
    const char *verb = step->verb;
    promptweave_str *args = step->args;
    if (!strcmp(verb, "engine")) make_engine(step);
    else if (!strcmp(verb, "end")) end();
    else if (!strcmp(verb, "engine-diagnostics")) json(promptweave_engine_diagnostics(engine, &text), &text);
    else if (!strcmp(verb, "check")) json(promptweave_engine_check(engine, &text), &text);
    else if (!strcmp(verb, "build")) build(step);
    else if (!strcmp(verb, "session")) {
        promptweave_error *error = promptweave_session_new(engine, args[0], &made);
        replace_session(error, made);
    } else if (!strcmp(verb, "reset")) nothing(promptweave_session_reset(session, args[0]));
    else if (!strcmp(verb, "save-restore")) save_restore();
    else if (!strcmp(verb, "restore")) {
        promptweave_error *error = promptweave_session_restore(engine, args[0], view, &made);
        replace_session(error, made);
    } else if (!strcmp(verb, "text")) lent(promptweave_prompt_text(prompt, &view), &view);
    else if (!strcmp(verb, "section")) lent(promptweave_prompt_section(prompt, args[0], &view), &view);
    else if (!strcmp(verb, "result")) json(promptweave_prompt_result(prompt, args[0], &text), &text);
    else if (!strcmp(verb, "blocks")) json(promptweave_prompt_blocks(prompt, &text), &text);
    else if (!strcmp(verb, "layers")) json(promptweave_prompt_layers(prompt, &text), &text);
    else if (!strcmp(verb, "diagnostics")) json(promptweave_prompt_diagnostics(prompt, &text), &text);
    else if (!strcmp(verb, "deliver")) deliver(step);
    else if (!strcmp(verb, "parser")) make_parser(step);
    else if (!strcmp(verb, "push")) json(promptweave_parser_push(parser, args[0], &text), &text);
    else if (!strcmp(verb, "finish")) json(promptweave_parser_finish(parser, args[0], &text), &text);
    else if (!strcmp(verb, "parsed")) json(promptweave_parser_blocks(parser, &text), &text);
    else {
        fprintf(stderr, "`%s` is no step\n", verb);
        exit(2);
    }
}

static int read_step(step *step) {
    memset(step, 0, sizeof *step);
    if (scanf("%31s %d", step->verb, &step->count) != 2) return 0;
    if (getchar() != '\n' || step->count > MOST_ARGUMENTS) exit(2);
    for (int at = 0; at < step->count; at++) {
        long length = -1;
        if (scanf("%ld", &length) != 1 || getchar() != '\n') exit(2);
        if (length < 0) continue;
        char *bytes = malloc((size_t)length + 1);
        if (!bytes || fread(bytes, 1, (size_t)length, stdin) != (size_t)length || getchar() != '\n') exit(2);
        step->args[at].ptr = bytes;
        step->args[at].len = (size_t)length;
    }
    return 1;
}

int main(void) {
    step step;
    while (read_step(&step)) {
        run(&step);
        for (int at = 0; at < step.count; at++) free((void *)step.args[at].ptr);
    }
    return 0;
}
