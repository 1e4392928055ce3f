/* Two items that end the process, with good ones before, between and behind. */
#include "fixture.h"

#include <stdlib.h>

static weave_status good(void *state, const weave_call *call) {
  (void)state;
  weave_write(call, call->item_id.ptr, call->item_id.len);
  return put(call, "\n");
}
static weave_status bad(void *state, const weave_call *call) { (void)state; (void)call; abort(); }

static const weave_item items[] = {
  COMPONENT("good1", good), COMPONENT("bad1", bad), COMPONENT("good2", good), COMPONENT("bad2", bad), COMPONENT("good3", good),
};
TABLE("two-aborts", items, .flags = 0);
