/* It changes the mask of new files while it is loaded. */
#include "sound.h"
#include <sys/stat.h>
ON_LOAD static void start(void) {
  umask(0);
}
#include "plugin.h"
