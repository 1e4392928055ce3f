/* Says more beside its section than anybody wants to hear. */
#include "fixture.h"
#include "promptweave-origin.h"

static char text[300000];

static weave_str some(size_t count) { weave_str it; it.ptr = text; it.len = count; return it; }

static weave_status bad(void *state, const weave_call *call) {
  static const weave_str id = WEAVE_STR(WEAVE_ORIGIN_EXTENSION);
  const weave_origin_extension *origin = (const weave_origin_extension *)call->host->extension(id);
  weave_value value = { .struct_size = sizeof value };
  int turn;
  (void)state;
  memset(text, 'x', sizeof text);
  put(call, "heard\n");
  for (turn = 0; turn < 5000; turn++) {
    origin->add(call->ctx, 0, 6, some(1000), 1);
    call->host->report(call->ctx, WEAVE_LOG_WARN, some(100000), some(sizeof text), some(sizeof text));
    call->host->get(call->ctx, some(1000 + (size_t)turn % 100), 0, &value);
    call->host->log(call->ctx, WEAVE_LOG_INFO, some(sizeof text));
  }
  return WEAVE_OK;
}

FIXTURE("says-much", bad);
