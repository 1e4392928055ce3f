/* It takes a variable away while it is loaded. */
#include "sound.h"
#include <stdlib.h>
ON_LOAD static void start(void) {
  unsetenv("PATH");
}
#include "plugin.h"
