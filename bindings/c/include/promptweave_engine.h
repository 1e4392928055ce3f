/* promptweave for hosts in C and C++: prompts, sessions, payloads, the parser of replies. C99 or C++11.
 *
 * Strings are pointer and length, in UTF-8, without a NUL at the end; {NULL, 0} is absent. What goes in is copied
 * before the call returns.
 * A call returns NULL, or an error that you own. Each `_new`, `_build` and `_restore`, and each call that fills a
 * `promptweave_text **`, makes a handle; free it once with the `_free` of its type. Handles are names, not addresses:
 * a freed one, or one of another type, gives the error `handle-invalid`. `_free` takes NULL.
 * Where a call fails, its out-parameters are not written to.
 * JSON that goes in may be absent where it is called options or ask: then it has its defaults.
 *
 * Threads: everything may be used from every thread, also at the same time. Two exceptions: a parser that is in use on
 * another thread gives the error `thread-wrong`, and a `promptweave_str` that was lent by a handle ends with that handle.
 * Components are called on threads of the library, several at once. They must not unwind or jump out of the call: catch
 * the exceptions of C++ and answer with an error. From within a component no engine and no session can be used.
 * After fork, the child can go on with what it has, but for plugins.
 */


#ifndef PROMPTWEAVE_ENGINE_H
#define PROMPTWEAVE_ENGINE_H

#include <stddef.h>
#include <stdint.h>

/**
 * Where a component answers: valid until its call returns.
 */
typedef struct promptweave_answer promptweave_answer;

/**
 * A component of the host. Free it with `promptweave_component_free`; engines that have it keep it.
 */
typedef struct promptweave_component promptweave_component;

/**
 * Builds prompts from packs and components. Free it with `promptweave_engine_free`.
 */
typedef struct promptweave_engine promptweave_engine;

/**
 * Why a call gave nothing. Free it with `promptweave_error_free`.
 */
typedef struct promptweave_error promptweave_error;

/**
 * Cuts one reply into text, reasoning and tool calls. Free it with `promptweave_parser_free`.
 */
typedef struct promptweave_parser promptweave_parser;

/**
 * A finished prompt. Free it with `promptweave_prompt_free`.
 */
typedef struct promptweave_prompt promptweave_prompt;

/**
 * Builds the prompts of one conversation, so that their bytes stay cached. Free it with `promptweave_session_free`.
 */
typedef struct promptweave_session promptweave_session;

/**
 * A text that you own. Free it with `promptweave_text_free`.
 */
typedef struct promptweave_text promptweave_text;

/**
 * A text in UTF-8, without a NUL at its end; `{NULL, 0}` is absent.
 */
typedef struct promptweave_str {
  /**
   * Its first byte.
   */
  const char *ptr;
  /**
   * How many bytes it has.
   */
  size_t len;
} promptweave_str;

/**
 * Answers a call with `promptweave_answer_text` or `promptweave_answer_error`; with neither there is no section.
 * `inputs` is a JSON object with the part of the context that the component reads, lent until it returns. It is called
 * on threads of the library, several at once, and must not unwind.
 */
typedef void (*promptweave_component_call)(void *data, struct promptweave_str inputs, struct promptweave_answer *answer);

/**
 * Frees the data of a component. It is called once, on any thread, when nobody can call the component any more.
 */
typedef void (*promptweave_component_drop)(void *data);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes a component. `declared` is a JSON object: `id`; `reads`, the context keys that it gets (without it the whole
 * context, and it is volatile); `cache` (`static`, `session`, `volatile`) and `reason`; `description`; `deadline_ms`, 1000
 * by default. `data` is handed to `call` and `drop`; where this fails, it is dropped at once.
 *
 * # Safety
 * `declared` is as the header says; `call` and `drop` may be called with `data` from every thread; `out` can be written
 * to.
 */
struct promptweave_error *promptweave_component_new(struct promptweave_str declared,
                                                    promptweave_component_call run,
                                                    void *data,
                                                    promptweave_component_drop drop,
                                                    struct promptweave_component **out);

/**
 * Frees a component; engines that have it keep it.
 */
void promptweave_component_free(struct promptweave_component *component);

/**
 * Answers with the text of the section. Text that is not UTF-8 counts as an answer of a wrong type.
 *
 * # Safety
 * `text` is as the header says.
 */
void promptweave_answer_text(struct promptweave_answer *answer, struct promptweave_str text);

/**
 * Answers with a sentence that says why there is no text.
 *
 * # Safety
 * `message` is as the header says.
 */
void promptweave_answer_error(struct promptweave_answer *answer, struct promptweave_str message);

/**
 * The version of the library; lent for good.
 */
struct promptweave_str promptweave_version(void);

/**
 * Loads packs and plugins. `options` is a JSON object: `standard` (true), `packs` (folders, or `{name, files}`), `project`,
 * `trust` (`if-trusted`, `always`, `never`), `trust_file`, `models` (texts of TOML by name), `plugins` (`paths`, `data`,
 * `host`, `isolation`, `config`, `workspace`, `home`), `strict` (false). Mistakes in packs are no error but
 * diagnostics of the engine, except with `strict`.
 *
 * # Safety
 * `options` is as the header says; `components` are `count` handles, or NULL with 0; `out` can be written to.
 */
struct promptweave_error *promptweave_engine_new(struct promptweave_str options,
                                                 const struct promptweave_component *const *components,
                                                 size_t count,
                                                 struct promptweave_engine **out);

/**
 * Frees an engine. Its sessions and prompts live on.
 */
void promptweave_engine_free(struct promptweave_engine *engine);

/**
 * Every mistake of loading: a JSON array of `{code, severity, message, origin, help}`.
 *
 * # Safety
 * `out` can be written to.
 */
struct promptweave_error *promptweave_engine_diagnostics(const struct promptweave_engine *engine,
                                                         struct promptweave_text **out);

/**
 * The same with what a closer look at all templates, conditions and names shows.
 *
 * # Safety
 * `out` can be written to.
 */
struct promptweave_error *promptweave_engine_check(const struct promptweave_engine *engine,
                                                   struct promptweave_text **out);

/**
 * Builds the prompt of the variant that matches the context, a JSON object. `ask` is a JSON object: `variant`
 * (`ID`, `ID@VERSION`, `ID@LABEL`), `label`, `tag`, `budget` in tokens.
 *
 * # Safety
 * `context` and `ask` are as the header says; `out` can be written to.
 */
struct promptweave_error *promptweave_engine_build(const struct promptweave_engine *engine,
                                                   struct promptweave_str context_json,
                                                   struct promptweave_str ask,
                                                   struct promptweave_prompt **out);

/**
 * Lets the probes of plugins fill what the context does not say: the filled context, and a JSON array of diagnostics.
 *
 * # Safety
 * `context_json` is as the header says; both out-parameters can be written to.
 */
struct promptweave_error *promptweave_engine_probe(const struct promptweave_engine *engine,
                                                   struct promptweave_str context_json,
                                                   struct promptweave_text **out,
                                                   struct promptweave_text **out_diagnostics);

/**
 * A stable name for tools, e.g. `no-variant`; lent by the error.
 */
struct promptweave_str promptweave_error_code(const struct promptweave_error *error);

/**
 * What happened, as a sentence; lent by the error.
 */
struct promptweave_str promptweave_error_message(const struct promptweave_error *error);

/**
 * What to do about it, or absent; lent by the error.
 */
struct promptweave_str promptweave_error_help(const struct promptweave_error *error);

/**
 * The file that it is about, or absent; lent by the error.
 */
struct promptweave_str promptweave_error_file(const struct promptweave_error *error);

/**
 * The bytes of the file that it is about, from the first to behind the last. Returns 1 where that is known and written,
 * else 0.
 *
 * # Safety
 * `start` and `end` are NULL or can be written to.
 */
int32_t promptweave_error_span(const struct promptweave_error *error, size_t *start, size_t *end);

/**
 * The whole error as JSON: `{code, message, origin, help}`, as diagnostics are written; NULL for a handle that is none.
 */
struct promptweave_text *promptweave_error_json(const struct promptweave_error *error);

/**
 * Frees an error and what it lent.
 */
void promptweave_error_free(struct promptweave_error *error);

/**
 * How many handles live: 0 when a host has freed all that it owns, which its tests may want to know. Whatever was not freed is
 * still reached by the library, and no leak to the tools that look for leaks.
 */
size_t promptweave_handles(void);

/**
 * Makes a parser for one reply. `engine` says which tools there are; NULL stands for the standard pack. `options` is a JSON
 * object: `mode` (`robust`, `exact`), `dialect` (`auto`, a name, or a table in TOML), `specs`, `tools`, `params`, `raw`,
 * `variant`, `typed`, `fenced_calls`, `starts_in_reasoning`, `call_ends_reasoning`, `tag_suffix`.
 *
 * # Safety
 * `options` is as the header says; `out` can be written to.
 */
struct promptweave_error *promptweave_parser_new(const struct promptweave_engine *engine,
                                                 struct promptweave_str options,
                                                 struct promptweave_parser **out);

/**
 * Frees a parser.
 */
void promptweave_parser_free(struct promptweave_parser *parser);

/**
 * Takes a chunk, which may end inside a character: a JSON array of events, one object each, as
 * `promptweave parse --events` prints them. Only a call that `closed` with `"end":"text"` is complete and may run.
 *
 * # Safety
 * `chunk` is as the header says, but need not be UTF-8; `out` can be written to.
 */
struct promptweave_error *promptweave_parser_push(const struct promptweave_parser *parser,
                                                  struct promptweave_str chunk,
                                                  struct promptweave_text **out);

/**
 * Ends the reply: a JSON array of the last events. `reason` is why the model stopped, as its provider says; absent, the
 * blocks stay as of the last byte.
 *
 * # Safety
 * `reason` is as the header says; `out` can be written to.
 */
struct promptweave_error *promptweave_parser_finish(const struct promptweave_parser *parser,
                                                    struct promptweave_str reason,
                                                    struct promptweave_text **out);

/**
 * The blocks so far: a JSON array, as `promptweave parse --final` prints it.
 *
 * # Safety
 * `out` can be written to.
 */
struct promptweave_error *promptweave_parser_blocks(const struct promptweave_parser *parser,
                                                    struct promptweave_text **out);

/**
 * Frees a prompt and what it lent.
 */
void promptweave_prompt_free(struct promptweave_prompt *prompt);

/**
 * The text; lent by the prompt.
 *
 * # Safety
 * `out` can be written to.
 */
struct promptweave_error *promptweave_prompt_text(const struct promptweave_prompt *prompt, struct promptweave_str *out);

/**
 * The text of a section, or absent; lent by the prompt.
 *
 * # Safety
 * `id` is as the header says; `out` can be written to.
 */
struct promptweave_error *promptweave_prompt_section(const struct promptweave_prompt *prompt,
                                                     struct promptweave_str id,
                                                     struct promptweave_str *out);

/**
 * Everything about it, exactly as `promptweave build --format json` prints it, but on one line. `options` is a JSON
 * object: `offsets` (`bytes`, `utf16`).
 *
 * # Safety
 * `options` is as the header says; `out` can be written to.
 */
struct promptweave_error *promptweave_prompt_result(const struct promptweave_prompt *prompt,
                                                    struct promptweave_str options,
                                                    struct promptweave_text **out);

/**
 * Its text in runs of one cache scope: a JSON array of `{text, scope}`.
 *
 * # Safety
 * `out` can be written to.
 */
struct promptweave_error *promptweave_prompt_blocks(const struct promptweave_prompt *prompt,
                                                    struct promptweave_text **out);

/**
 * Its layers with their texts and weights, as `promptweave layers --json` prints them.
 *
 * # Safety
 * `out` can be written to.
 */
struct promptweave_error *promptweave_prompt_layers(const struct promptweave_prompt *prompt,
                                                    struct promptweave_text **out);

/**
 * What was met while building: a JSON array of `{code, severity, message, origin, help}`.
 *
 * # Safety
 * `out` can be written to.
 */
struct promptweave_error *promptweave_prompt_diagnostics(const struct promptweave_prompt *prompt,
                                                         struct promptweave_text **out);

/**
 * The payload for the API of that name (`anthropic`, `vertex`, `bedrock`, `openai-chat`, `openai-responses`,
 * `openai-compatible`, `xai`, `gemini`): `{headers, body}`, with the tools of the context. `options` is a JSON object:
 * `one_hour`, a list of query sources whose entries live for an hour; `wire_scope` (false); `cache_key`. What could not
 * be kept is told in `out_diagnostics`, which may be NULL.
 *
 * # Safety
 * `target` and `options` are as the header says; `out` can be written to, `out_diagnostics` too unless it is NULL.
 */
struct promptweave_error *promptweave_prompt_deliver(const struct promptweave_prompt *prompt,
                                                     struct promptweave_str target,
                                                     struct promptweave_str options,
                                                     struct promptweave_text **out,
                                                     struct promptweave_text **out_diagnostics);

/**
 * Begins a session. `options` is a JSON object: `date` and `time`, which stand still until the session is reset, and
 * `probes` (true): whether probes of plugins run, once.
 *
 * # Safety
 * `options` is as the header says; `out` can be written to.
 */
struct promptweave_error *promptweave_session_new(const struct promptweave_engine *engine,
                                                  struct promptweave_str options,
                                                  struct promptweave_session **out);

/**
 * Goes on with a session that `promptweave_session_save` wrote; of `options` only `probes` counts.
 *
 * # Safety
 * `saved` and `options` are as the header says; `out` can be written to.
 */
struct promptweave_error *promptweave_session_restore(const struct promptweave_engine *engine,
                                                      struct promptweave_str saved,
                                                      struct promptweave_str options,
                                                      struct promptweave_session **out);

/**
 * Frees a session. Its prompts live on.
 */
void promptweave_session_free(struct promptweave_session *session);

/**
 * Builds a prompt as `promptweave_engine_build` does; what is the same as before is not built again.
 *
 * # Safety
 * `context` and `ask` are as the header says; `out` can be written to.
 */
struct promptweave_error *promptweave_session_build(const struct promptweave_session *session,
                                                    struct promptweave_str context_json,
                                                    struct promptweave_str ask,
                                                    struct promptweave_prompt **out);

/**
 * Forgets everything but the clock, which `options` may set anew by `date` and `time`.
 *
 * # Safety
 * `options` is as the header says.
 */
struct promptweave_error *promptweave_session_reset(const struct promptweave_session *session,
                                                    struct promptweave_str options);

/**
 * The session as a text, with the files of all packs and the values of all contexts: keep it as safe as those.
 *
 * # Safety
 * `out` can be written to.
 */
struct promptweave_error *promptweave_session_save(const struct promptweave_session *session,
                                                   struct promptweave_text **out);

/**
 * The bytes of a text, lent by it; absent for a handle that is none.
 */
struct promptweave_str promptweave_text_view(const struct promptweave_text *text);

/**
 * Frees a text.
 */
void promptweave_text_free(struct promptweave_text *text);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PROMPTWEAVE_ENGINE_H */
