/* flags: -fvisibility=hidden */
#include "abi.h"
ENTRY
MANIFEST("name = \"acme\"\nversion = \"1.2.0\"\nabi = \"1.0\"\n[[component]]\nid = \"workspace\"\n")
EXPORT int weave_plugin_entry_v2(void) { return 0; }
EXPORT int weave_plugin_entry_vx(void) { return 0; }
int hidden(void) { return 1; }
