/* Builds the first prompt: cc first.c $(pkg-config --cflags --libs promptweave-engine) */
#include <stdio.h>
#include <string.h>

#include "promptweave_engine.h"

static promptweave_str str(const char *text) {
    promptweave_str lent = {text, strlen(text)};
    return lent;
}

static int told(promptweave_error *error) {
    if (!error) return 0;
    promptweave_str code = promptweave_error_code(error), message = promptweave_error_message(error);
    fprintf(stderr, "%.*s: %.*s\n", (int)code.len, code.ptr, (int)message.len, message.ptr);
    promptweave_error_free(error);
    return 1;
}

int main(void) {
    const promptweave_str absent = {NULL, 0};
    promptweave_engine *engine = NULL;
    promptweave_prompt *prompt = NULL;
    promptweave_text *payload = NULL;
    promptweave_str text = absent;
    int failed = 1;

    /* The standard pack is there without being named. */
    if (told(promptweave_engine_new(absent, NULL, 0, &engine))) goto end;
    promptweave_str context = str("{\"model\": {\"id\": \"claude-sonnet-4-5\"}, \"cwd\": \"/project\", \"os\": \"linux\"}");
    if (told(promptweave_engine_build(engine, context, absent, &prompt))) goto end;
    if (told(promptweave_prompt_text(prompt, &text))) goto end;
    if (told(promptweave_prompt_deliver(prompt, str("anthropic"), absent, &payload, NULL))) goto end;
    printf("a prompt of %s kB\n", text.len > 1000 ? "some" : "no");
    printf("%.20s...\n", promptweave_text_view(payload).ptr);
    failed = 0;
end:
    promptweave_text_free(payload);
    promptweave_prompt_free(prompt);
    promptweave_engine_free(engine);
    return failed;
}
