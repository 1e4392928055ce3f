/* Never comes back. */
#include "fixture.h"

static volatile int on = 1;

static weave_status bad(void *state, const weave_call *call) {
  (void)state; (void)call;
  while (on) { }
  return WEAVE_OK;
}

FIXTURE("endless-loop", bad);
