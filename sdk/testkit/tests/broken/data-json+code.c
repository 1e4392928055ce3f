/* A component without code. */
#include "sound.h"
#define CALL NULL
#include "plugin.h"
