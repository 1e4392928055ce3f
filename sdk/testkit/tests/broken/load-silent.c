/* It greets while it is loaded. */
#include "sound.h"
#include <unistd.h>
ON_LOAD static void start(void) {
  if (write(1, "hello\n", 6) < 0) return;
}
#include "plugin.h"
