/* A second symbol can be seen. */
#include "sound.h"
WEAVE_EXPORT int helper(void);
int helper(void) { return 1; }
#include "plugin.h"
