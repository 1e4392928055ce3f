/* flags: -pie -Wl,-e,weave_plugin_entry_v1 -nostartfiles */
#include "abi.h"
ENTRY
