/* An id with a blank. */
#include "sound.h"
#define ID WEAVE_STR("Bad Id")
#include "plugin.h"
