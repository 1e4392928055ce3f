/* It is volatile and does not say why. */
#include "sound.h"
#define CACHE WEAVE_CACHE_VOLATILE
#include "plugin.h"
