/* Loading never ends. */
#include "sound.h"
ON_LOAD static void start(void) {
  volatile int forever = 1;
  while (forever) {}
}
#include "plugin.h"
