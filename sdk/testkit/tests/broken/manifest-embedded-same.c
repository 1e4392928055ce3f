/* The manifest in the library is of another version. */
#include "sound.h"
WEAVE_MANIFEST("name = \"broken\"\nversion = \"1.0.1\"\nabi = \"1.0\"\n");
#include "plugin.h"
