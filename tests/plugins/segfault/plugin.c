/* Writes where nothing is. */
#include "fixture.h"

static weave_status bad(void *state, const weave_call *call) {
  volatile int *volatile nowhere = (volatile int *)8;
  (void)state; (void)call;
  *nowhere = 1;
  return WEAVE_OK;
}

FIXTURE("segfault", bad);
