/* A description in Latin-1. */
#include "sound.h"
#define DESCRIPTION WEAVE_STR("gr\xf6\xdf" "er")
#include "plugin.h"
