/* Builds and parses many times: `many BUILDS PARSERS`. Prints the memory at the start, which is after a tenth, and at the
 * end, in kB. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "promptweave_engine.h"

static const promptweave_str absent = {NULL, 0};

static promptweave_str str(const char *text) {
    promptweave_str lent = {text, strlen(text)};
    return lent;
}

static long resident(void) {
    long kilobytes = 0;
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status)) sscanf(line, "VmRSS: %ld", &kilobytes);
    if (status) fclose(status);
    return kilobytes;
}

static void fine(promptweave_error *error) {
    if (error) {
        promptweave_str message = promptweave_error_message(error);
        fprintf(stderr, "%.*s\n", (int)message.len, message.ptr);
        exit(1);
    }
}

static void answer(void *data, promptweave_str inputs, promptweave_answer *answer) {
    (void)data;
    promptweave_answer_text(answer, inputs);
}

int main(int count, char **words) {
    long builds = count > 1 ? atol(words[1]) : 1000, parsers = count > 2 ? atol(words[2]) : 100;
    promptweave_engine *engine = NULL;
    promptweave_component *component = NULL;
    fine(promptweave_component_new(str("{\"id\": \"own\", \"reads\": [\"cwd\"]}"), answer, NULL, NULL, &component));
    const promptweave_component *components[] = {component};
    fine(promptweave_engine_new(str("{\"standard\": false, \"packs\": [{\"name\": \"acme\", \"files\": {"
        "\"pack.toml\": \"format = 1\\nname = 'acme'\\nversion = '1.0.0'\", \"components/role.md\": \"You are a coding agent.\","
        "\"generic.toml\": \"order = ['role', 'own']\"}}]}"), components, 1, &engine));
    long start = 0;
    for (long at = 0; at < builds; at++) {
        if (at == builds / 10) start = resident();
        char context[64];
        snprintf(context, sizeof context, "{\"cwd\": \"/%ld\"}", at);
        promptweave_prompt *prompt = NULL;
        promptweave_text *payload = NULL;
        promptweave_str text = absent;
        fine(promptweave_engine_build(engine, str(context), absent, &prompt));
        fine(promptweave_prompt_text(prompt, &text));
        if (at % 100 == 0) fine(promptweave_prompt_deliver(prompt, str("anthropic"), absent, &payload, NULL));
        promptweave_text_free(payload);
        promptweave_prompt_free(prompt);
        /* Errors are owned too. */
        promptweave_error_free(promptweave_engine_build(engine, str("{"), absent, &prompt));
    }
    long built = resident();
    printf("builds: %ld kB at the start, %ld kB at the end\n", start, built);
    for (long at = 0; at < parsers; at++) {
        if (at == parsers / 10) start = resident();
        promptweave_parser *parser = NULL;
        promptweave_text *events = NULL;
        fine(promptweave_parser_new(engine, str("{\"specs\": {\"tools\": {\"read_file\": {\"params\": {\"path\": \"scalar\"}}}}}"), &parser));
        for (int chunk = 0; chunk < 8; chunk++) {
            fine(promptweave_parser_push(parser, str("<read_file><path>a</path></read_file> "), &events));
            promptweave_text_free(events);
        }
        promptweave_parser_free(parser);
    }
    long parsed = resident();
    printf("parsers: %ld kB at the start, %ld kB at the end\n", start, parsed);
    promptweave_component_free(component);
    promptweave_engine_free(engine);
    return promptweave_handles() ? 3 : 0;
}
