/* A dependency that is no path. */
#include "sound.h"
static const weave_str wrong[] = { WEAVE_STR("cwd..name") };
#define DEPS wrong
#define DEPS_COUNT 1
#include "plugin.h"
