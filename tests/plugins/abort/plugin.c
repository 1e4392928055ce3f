/* Ends its process. */
#include "fixture.h"
#include <stdlib.h>

static weave_status bad(void *state, const weave_call *call) { (void)state; (void)call; abort(); }

FIXTURE("abort", bad);
