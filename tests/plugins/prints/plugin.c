/* Prints to standard output and standard error, more than a pipe takes, as if the host read them. Its section is fine. */
#include "fixture.h"
#include <stdio.h>

static weave_status bad(void *state, const weave_call *call) {
  int turn;
  (void)state;
  for (turn = 0; turn < 4000; turn++) {
    printf("garbage that is no frame at all\n");
    fprintf(stderr, "a line for the log, of which there are many\n");
  }
  fflush(stdout);
  return PUT(call, "printed\n");
}

FIXTURE("prints", bad);
