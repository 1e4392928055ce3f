/* Writes 100 MB, and does not look at what the host answers. */
#include "fixture.h"

static char text[1 << 20];

static weave_status bad(void *state, const weave_call *call) {
  int turn;
  (void)state;
  memset(text, 'x', sizeof text);
  for (turn = 0; turn < 100; turn++) weave_write(call, text, sizeof text);
  return WEAVE_OK;
}

FIXTURE("floods", bad);
