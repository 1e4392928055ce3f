/* Takes 100 GB, and uses them without a look at what it got. */
#include "fixture.h"
#include <stdlib.h>

static weave_status bad(void *state, const weave_call *call) {
  size_t at, size = (size_t)100 << 30;
  char *room = malloc(size);
  (void)state; (void)call;
  for (at = 0; at < size; at += 4096) room[at] = 1;
  return WEAVE_OK;
}

FIXTURE("allocates", bad);
