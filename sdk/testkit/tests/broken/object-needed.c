// cc: -Wl,-rpath,lib
/* It looks for libraries in a relative folder. */
#include "sound.h"
#include "plugin.h"
