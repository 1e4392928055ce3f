/* Nothing is wrong with it; the tests break its file or its manifest. */
#include "fixture.h"

static weave_status bad(void *state, const weave_call *call) { (void)state; return PUT(call, "fine\n"); }

FIXTURE("fine", bad);
