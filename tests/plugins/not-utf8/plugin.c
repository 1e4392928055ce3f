/* Writes Latin-1. */
#include "fixture.h"

static weave_status bad(void *state, const weave_call *call) {
  (void)state;
  return PUT(call, "caf\xe9\n");
}

FIXTURE("not-utf8", bad);
