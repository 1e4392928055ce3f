/* Nothing is wrong with it, and it embeds no manifest. */
#include "sound.h"
#include "plugin.h"
