/* Its entry is for an ABI that nobody has. */
#include "sound.h"
#define OWN_ENTRY
#include "plugin.h"
static const weave_plugin plugin = TABLE;
WEAVE_EXPORT weave_status weave_plugin_entry_v9(const weave_host_api *host, const weave_plugin **out) {
  (void)host;
  *out = &plugin;
  return WEAVE_OK;
}
