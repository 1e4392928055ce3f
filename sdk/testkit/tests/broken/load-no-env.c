/* It sets a variable while it is loaded. */
#include "sound.h"
#include <stdlib.h>
ON_LOAD static void start(void) {
  setenv("BROKEN", "1", 1);
}
#include "plugin.h"
