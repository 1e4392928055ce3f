/* One engine and one session on many threads, a parser that two threads want, and a child that was forked after load. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "promptweave_engine.h"

enum { THREADS = 8, BUILDS = 50 };

static const promptweave_str absent = {NULL, 0};
static promptweave_engine *engine;
static promptweave_session *session;
static promptweave_parser *parser;
static int wrong, busy;

static promptweave_str str(const char *text) {
    promptweave_str lent = {text, strlen(text)};
    return lent;
}

static void echo(void *data, promptweave_str inputs, promptweave_answer *answer) {
    (void)data;
    promptweave_answer_text(answer, inputs);
}

/* Builds once, and looks whether the prompt is that of its own context. */
static int build(int number, int in_session) {
    char context[64], expected[64];
    snprintf(context, sizeof context, "{\"cwd\": \"/%d\"}", number);
    snprintf(expected, sizeof expected, "{\"cwd\":\"/%d\"}", number);
    promptweave_prompt *prompt = NULL;
    promptweave_error *error = in_session
        ? promptweave_session_build(session, str(context), absent, &prompt)
        : promptweave_engine_build(engine, str(context), absent, &prompt);
    promptweave_str text = absent;
    if (!error) error = promptweave_prompt_text(prompt, &text);
    int same = !error && text.len == strlen(expected) && !memcmp(text.ptr, expected, text.len);
    promptweave_error_free(error);
    promptweave_prompt_free(prompt);
    return same;
}

static void *work(void *data) {
    int own = *(int *)data;
    for (int at = 0; at < BUILDS; at++) {
        if (!build(own * BUILDS + at, at % 2)) __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
        promptweave_text *events = NULL;
        promptweave_error *error = promptweave_parser_push(parser, str("some words of a reply "), &events);
        if (error) {
            promptweave_str code = promptweave_error_code(error);
            if (code.len != strlen("thread-wrong")) __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
            __atomic_add_fetch(&busy, 1, __ATOMIC_RELAXED);
        }
        promptweave_error_free(error);
        promptweave_text_free(events);
    }
    return NULL;
}

int main(void) {
    promptweave_component *component = NULL;
    promptweave_str options = str("{\"standard\": false, \"packs\": [{\"name\": \"acme\", \"files\": {"
        "\"pack.toml\": \"format = 1\\nname = 'acme'\\nversion = '1.0.0'\","
        "\"generic.toml\": \"order = ['own']\"}}]}");
    if (promptweave_component_new(str("{\"id\": \"own\", \"reads\": [\"cwd\"], \"deadline_ms\": 30000}"), echo, NULL, NULL, &component))
        return 1;
    const promptweave_component *components[] = {component};
    if (promptweave_engine_new(options, components, 1, &engine)) return 1;
    promptweave_component_free(component);
    if (promptweave_session_new(engine, absent, &session)) return 1;
    if (promptweave_parser_new(engine, absent, &parser)) return 1;

    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int at = 0; at < THREADS; at++) {
        numbers[at] = at;
        if (pthread_create(&threads[at], NULL, work, &numbers[at])) return 1;
    }
    for (int at = 0; at < THREADS; at++) pthread_join(threads[at], NULL);

    /* The child has none of the threads that components ran on. It ends at once, since what those threads held is lost to
     * it, and would count as a leak. */
    int ends[2], served = 0;
    if (pipe(ends)) return 1;
    pid_t child = fork();
    if (child == 0) {
        served = build(7, 0) && build(8, 1);
        if (write(ends[1], &served, sizeof served) < 0) abort();
        raise(SIGKILL);
    }
    close(ends[1]);
    if (read(ends[0], &served, sizeof served) != sizeof served) served = 0;
    close(ends[0]);
    waitpid(child, NULL, 0);
    promptweave_parser_free(parser);
    promptweave_session_free(session);
    promptweave_engine_free(engine);
    struct timespec soon = {0, 200 * 1000 * 1000};
    nanosleep(&soon, NULL);
    if (promptweave_handles()) return 3;
    printf("%d wrong, child %s\n", wrong, served ? "served" : "not served");
    return 0;
}
