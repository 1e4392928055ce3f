/* Cuts a reply while it streams, and runs each call as soon as it is complete. */
#include <stdio.h>
#include <string.h>

#include "promptweave_engine.h"

static promptweave_str str(const char *text) {
    promptweave_str lent = {text, strlen(text)};
    return lent;
}

/* Prints what a call of the parser gave, and frees it. */
static int show(promptweave_error *error, promptweave_text **events) {
    if (error) {
        promptweave_str message = promptweave_error_message(error);
        fprintf(stderr, "%.*s\n", (int)message.len, message.ptr);
        promptweave_error_free(error);
        return 1;
    }
    promptweave_str json = promptweave_text_view(*events);
    printf("%.*s\n", (int)json.len, json.ptr);
    promptweave_text_free(*events);
    return 0;
}

int main(void) {
    static const char *const chunks[] = {"I look.\n<read_", "file>\n<path>a.rs</p", "ath>\n</read_file>"};
    promptweave_parser *parser = NULL;
    promptweave_text *events = NULL;
    promptweave_str options = str("{\"specs\": {\"tools\": {\"read_file\": {\"params\": {\"path\": \"scalar\"}}}}}");
    promptweave_error *error = promptweave_parser_new(NULL, options, &parser);
    if (error) return show(error, NULL);

    int failed = 0;
    for (size_t at = 0; at < sizeof chunks / sizeof *chunks && !failed; at++)
        failed = show(promptweave_parser_push(parser, str(chunks[at]), &events), &events);
    if (!failed) failed = show(promptweave_parser_finish(parser, str("end_turn"), &events), &events);
    if (!failed) failed = show(promptweave_parser_blocks(parser, &events), &events);
    promptweave_parser_free(parser);
    return failed;
}
