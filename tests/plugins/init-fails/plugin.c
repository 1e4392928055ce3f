/* Needs a configuration. */
#include "fixture.h"

static weave_status init(const weave_call *call, void **out) {
  (void)out;
  return call->args.len > 2 ? WEAVE_OK : fail(call, "`greeting` is missing");
}
static weave_status good(void *state, const weave_call *call) { (void)state; return PUT(call, "good\n"); }
static const weave_item items[] = { COMPONENT("good", good) };
TABLE("init-fails", items, .init = init);
