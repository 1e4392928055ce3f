/* Its items lie at odd distances. */
#include "sound.h"
#define STRIDE (sizeof(weave_item) + 4)
#include "plugin.h"
