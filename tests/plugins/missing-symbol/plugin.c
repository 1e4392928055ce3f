/* Calls what no library has; bound when it is loaded, not when it is called. */
#include "fixture.h"

extern int nobody_has_this(void);

static weave_status bad(void *state, const weave_call *call) {
  (void)state;
  return nobody_has_this() ? PUT(call, "?") : WEAVE_NOTHING;
}

FIXTURE("missing-symbol", bad);
