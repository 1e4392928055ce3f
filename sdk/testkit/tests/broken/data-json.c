/* A tool whose data ends early. */
#include "sound.h"
#define KIND WEAVE_KIND_TOOL
#define DATA WEAVE_STR("{\"description\":")
#define CALL NULL
#define DEPS NULL
#define DEPS_COUNT 0
#include "plugin.h"
