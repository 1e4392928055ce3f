/* Closes whatever is open. */
#include "fixture.h"
#include <unistd.h>

static weave_status bad(void *state, const weave_call *call) {
  int fd;
  (void)state; (void)call;
  for (fd = 0; fd < 1024; fd++) close(fd);
  return WEAVE_OK;
}

FIXTURE("closes-fds", bad);
