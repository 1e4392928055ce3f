/* Its name has a capital letter. */
#include "sound.h"
#define NAME WEAVE_STR("Broken")
#include "plugin.h"
