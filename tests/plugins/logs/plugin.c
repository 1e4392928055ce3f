/* Logs wherever it may: in a call, in `init` with a context and without one, in `deinit`, and to standard error. */
#include "fixture.h"

#include <stdio.h>

static const weave_host_api *host;

static void say(weave_ctx *ctx, uint32_t level, const char *text) {
  weave_str line;
  line.ptr = text;
  line.len = strlen(text);
  host->log(ctx, level, line);
}

static weave_status init(const weave_call *call, void **out) {
  (void)out;
  host = call->host;
  say(call->ctx, WEAVE_LOG_INFO, "in init");
  say(0, WEAVE_LOG_WARN, "in init without a context");
  return WEAVE_OK;
}
static void deinit(void *state) { (void)state; say(0, WEAVE_LOG_ERROR, "in deinit"); }
/* The host makes a new state after it. */
static weave_status bad(void *state, const weave_call *call) {
  (void)state;
  say(call->ctx, WEAVE_LOG_WARN, "in a call");
  fprintf(stderr, "to standard error\n");
  return WEAVE_E_PANIC;
}
static weave_status good(void *state, const weave_call *call) { (void)state; return PUT(call, "good\n"); }
static const weave_item items[] = { COMPONENT("bad", bad), COMPONENT("good", good) };
TABLE("logs", items, .init = init, .deinit = deinit);
