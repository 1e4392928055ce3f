/* Forks, ends itself, and leaves a process that holds the socket. */
#include "fixture.h"
#include "stray.h"

static weave_status bad(void *state, const weave_call *call) {
  pid_t pid = fork();
  (void)state;
  if (pid < 0) return fail(call, strerror(errno));
  if (pid == 0) stay();
  wait_for_stray();
  abort();
}

FIXTURE("forks", bad);
