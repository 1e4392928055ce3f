/* Wrong use gives an error, and the process goes on. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "promptweave_engine.h"

static const promptweave_str absent = {NULL, 0};

static promptweave_str str(const char *text) {
    promptweave_str lent = {text, strlen(text)};
    return lent;
}

/* The error has this code. */
static void is(int line, const char *expected, promptweave_error *error) {
    promptweave_str code = promptweave_error_code(error);
    int same = code.len == strlen(expected) && (!code.len || !memcmp(code.ptr, expected, code.len));
    if (!same) {
        fprintf(stderr, "line %d: `%.*s`, not `%s`\n", line, (int)code.len, code.ptr ? code.ptr : "", expected);
        exit(1);
    }
    promptweave_error_free(error);
}
#define IS(expected, error) is(__LINE__, expected, error)

static int dropped;
static void drop(void *data) { (void)data, dropped++; }
static void run(void *data, promptweave_str inputs, promptweave_answer *answer) {
    (void)data, (void)inputs;
    promptweave_answer_text(answer, str("text"));
    promptweave_answer_error(answer, absent);
    promptweave_answer_text(NULL, str("text"));
}
static promptweave_answer *kept;
static void keep(void *data, promptweave_str inputs, promptweave_answer *answer) {
    (void)data, (void)inputs;
    kept = answer;
}

int main(void) {
    promptweave_engine *engine = NULL;
    promptweave_prompt *prompt = NULL;
    promptweave_session *session = NULL;
    promptweave_parser *parser = NULL;
    promptweave_component *component = NULL, *keeper = NULL;
    promptweave_text *text = NULL;
    promptweave_str view = absent;
    const promptweave_str bad = {"\xff\xfe", 2}, null = {NULL, 7}, huge = {"", SIZE_MAX}, big = {"", (size_t)1 << 40};
    promptweave_str options = str("{\"standard\": false, \"packs\": [{\"name\": \"acme\", \"files\": {"
        "\"pack.toml\": \"format = 1\\nname = 'acme'\\nversion = '1.0.0'\","
        "\"generic.toml\": \"order = ['own', 'keeper']\"}}]}");

    /* NULL in all places. */
    IS("pointer-null", promptweave_engine_new(absent, NULL, 0, NULL));
    IS("pointer-null", promptweave_engine_new(absent, NULL, 3, &engine));
    IS("pointer-null", promptweave_engine_build(NULL, str("{}"), absent, &prompt));
    IS("pointer-null", promptweave_engine_check(NULL, &text));
    IS("pointer-null", promptweave_session_new(NULL, absent, &session));
    IS("pointer-null", promptweave_prompt_text(NULL, &view));
    IS("pointer-null", promptweave_parser_push(NULL, str("a"), &text));
    IS("pointer-null", promptweave_component_new(str("{\"id\": \"own\"}"), NULL, NULL, drop, &component));
    IS("pointer-null", promptweave_component_new(str("{\"id\": \"own\"}"), run, NULL, drop, NULL));
    if (dropped != 2) return 2;

    /* Texts that are none. */
    IS("not-utf8", promptweave_engine_new(bad, NULL, 0, &engine));
    IS("pointer-null", promptweave_engine_new(null, NULL, 0, &engine));
    IS("input-too-large", promptweave_engine_new(huge, NULL, 0, &engine));
    IS("input-too-large", promptweave_engine_new(big, NULL, 0, &engine));
    IS("options-invalid", promptweave_engine_new(str("{"), NULL, 0, &engine));
    IS("options-invalid", promptweave_engine_new(str("[]"), NULL, 0, &engine));
    IS("options-invalid", promptweave_component_new(str("{}"), run, NULL, drop, &component));
    if (dropped != 3) return 3;
    if (engine || prompt || session || parser || component || text) return 4;

    /* Handles that are none. */
    IS("", promptweave_component_new(str("{\"id\": \"own\", \"reads\": []}"), run, NULL, drop, &component));
    IS("", promptweave_component_new(str("{\"id\": \"keeper\", \"reads\": []}"), keep, NULL, drop, &keeper));
    const promptweave_component *components[] = {component, keeper};
    IS("", promptweave_engine_new(options, components, 2, &engine));
    const promptweave_component *wrong[] = {component, (promptweave_component *)engine};
    promptweave_engine *other = NULL;
    IS("handle-invalid", promptweave_engine_new(options, wrong, 2, &other));
    IS("handle-invalid", promptweave_prompt_text((promptweave_prompt *)engine, &view));
    IS("handle-invalid", promptweave_engine_build((promptweave_engine *)((char *)engine + 1), str("{}"), absent, &prompt));
    IS("handle-invalid", promptweave_engine_build((promptweave_engine *)"engine", str("{}"), absent, &prompt));
    IS("handle-invalid", promptweave_engine_build((promptweave_engine *)component, str("{}"), absent, &prompt));
    promptweave_session_free((promptweave_session *)engine);

    IS("pointer-null", promptweave_engine_build(engine, absent, absent, &prompt));
    IS("not-utf8", promptweave_engine_build(engine, bad, absent, &prompt));
    IS("context-invalid", promptweave_engine_build(engine, str(""), absent, &prompt));
    IS("options-invalid", promptweave_engine_build(engine, str("{}"), str("7"), &prompt));
    IS("", promptweave_engine_build(engine, str("{}"), absent, &prompt));
    IS("", promptweave_prompt_text(prompt, &view));
    IS("pointer-null", promptweave_prompt_section(prompt, absent, &view));
    IS("target-unknown", promptweave_prompt_deliver(prompt, str("telegraph"), absent, &text, NULL));
    IS("pointer-null", promptweave_prompt_deliver(prompt, str("anthropic"), absent, NULL, NULL));

    /* An answer that comes too late counts for nothing. */
    promptweave_answer_text(kept, str("late"));

    /* What was freed. Sessions and prompts outlive their engine. */
    IS("", promptweave_session_new(engine, absent, &session));
    IS("", promptweave_parser_new(engine, absent, &parser));
    promptweave_component_free(component);
    promptweave_component_free(component);
    promptweave_component_free(keeper);
    promptweave_engine_free(engine);
    promptweave_engine_free(engine);
    IS("handle-invalid", promptweave_engine_build(engine, str("{}"), absent, &prompt));
    promptweave_prompt *second = NULL;
    IS("", promptweave_session_build(session, str("{}"), absent, &second));
    promptweave_prompt_free(second);
    promptweave_prompt_free(second);
    IS("handle-invalid", promptweave_prompt_text(second, &view));
    IS("", promptweave_prompt_text(prompt, &view));

    IS("", promptweave_parser_push(parser, bad, &text));
    promptweave_text_free(text);
    promptweave_text_free(text);
    if (promptweave_text_view(text).ptr) return 5;
    IS("input-too-large", promptweave_parser_push(parser, big, &text));
    IS("stop-reason-unknown", promptweave_parser_finish(parser, str("boredom"), &text));
    IS("", promptweave_parser_finish(parser, absent, &text));
    promptweave_text_free(text);
    IS("", promptweave_parser_push(parser, str("more"), &text));
    promptweave_text_free(text);

    /* Errors that are none. */
    size_t start = 7, end = 7;
    if (promptweave_error_json(NULL) || promptweave_error_code(NULL).ptr) return 6;
    if (promptweave_error_span(NULL, &start, &end) || start != 7) return 7;
    promptweave_error *error = promptweave_engine_new(str("{\"strict\": true, \"packs\": [{\"name\": \"acme\","
        "\"files\": {\"pack.toml\": \"format = 1\\nname = 'acme'\\nversion = '1.0.0'\\ncolour = 'red'\"}}]}"), NULL, 0, &other);
    if (!promptweave_error_span(error, &start, &end) || start >= end || promptweave_error_span(error, NULL, NULL)) return 8;
    view = promptweave_error_file(error);
    if (view.len != strlen("acme/pack.toml") || memcmp(view.ptr, "acme/pack.toml", view.len)) return 9;
    IS("unknown-key", error);
    promptweave_error_free(error);

    promptweave_engine_free(NULL);
    promptweave_session_free(NULL);
    promptweave_prompt_free(NULL);
    promptweave_parser_free(NULL);
    promptweave_component_free(NULL);
    promptweave_text_free(NULL);
    promptweave_error_free(NULL);
    promptweave_parser_free(parser);
    promptweave_prompt_free(prompt);
    promptweave_session_free(session);
    struct timespec soon = {0, 300 * 1000 * 1000};
    nanosleep(&soon, NULL);
    if (dropped != 5) return 10;
    if (promptweave_handles()) return 3;
    puts("no crash");
    return 0;
}
