/* Calls itself for ever. */
#include "fixture.h"

static volatile int depth;

static int deeper(int from) {
  volatile char room[4096];
  room[from % 4096] = (char)from;
  depth = from;
  return depth < 0 ? 0 : deeper(from + 1) + room[0];
}

static weave_status bad(void *state, const weave_call *call) {
  (void)state; (void)call;
  return deeper(1) == 7 ? WEAVE_OK : WEAVE_NOTHING;
}

FIXTURE("stack-overflow", bad);
