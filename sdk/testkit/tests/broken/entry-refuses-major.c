/* Its entry takes any host. */
#include "sound.h"
#define OWN_ENTRY
#include "plugin.h"
static const weave_plugin plugin = TABLE;
WEAVE_EXPORT weave_status weave_plugin_entry_v1(const weave_host_api *host, const weave_plugin **out) {
  (void)host;
  *out = &plugin;
  return WEAVE_OK;
}
