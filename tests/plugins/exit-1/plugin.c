/* Leaves. */
#include "fixture.h"
#include <unistd.h>

static weave_status bad(void *state, const weave_call *call) { (void)state; (void)call; _exit(1); }

FIXTURE("exit-1", bad);
