// cc: -Wl,--no-as-needed -lresolv
/* It needs a library that not every system has under this name. */
#include "sound.h"
#include "plugin.h"
