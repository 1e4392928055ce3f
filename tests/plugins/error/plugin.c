/* Fails, and says why. */
#include "fixture.h"

static weave_status bad(void *state, const weave_call *call) { (void)state; return fail(call, "the disk is full"); }

FIXTURE("error", bad);
