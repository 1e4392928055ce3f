/* Wants to stay, whatever it is told. */
#include "fixture.h"
#include <signal.h>
#include <unistd.h>

static volatile int on = 1;

static weave_status bad(void *state, const weave_call *call) {
  int number;
  sigset_t all;
  (void)state; (void)call;
  for (number = 1; number < 32; number++) signal(number, SIG_IGN);
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, 0);
  while (on) pause();
  return WEAVE_OK;
}

FIXTURE("ignores-signals", bad);
