/* Leaves a grandchild in a session of its own, where the signal to the group does not reach it. */
#include "fixture.h"
#include "stray.h"

static weave_status bad(void *state, const weave_call *call) {
  pid_t pid = fork();
  (void)state;
  if (pid < 0) return fail(call, strerror(errno));
  if (pid == 0) {
    if (setsid() < 0 || fork() != 0) _exit(0);
    stay();
  }
  wait_for_stray();
  abort();
}

FIXTURE("setsid", bad);
