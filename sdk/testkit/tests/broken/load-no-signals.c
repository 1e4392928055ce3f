/* It takes a signal while it is loaded. */
#include "sound.h"
#include <signal.h>
ON_LOAD static void start(void) {
  signal(SIGUSR1, SIG_IGN);
}
#include "plugin.h"
