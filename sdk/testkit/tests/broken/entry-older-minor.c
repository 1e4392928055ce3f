/* Its entry wants exactly the minor version that it was compiled against. */
#include "sound.h"
#define OWN_ENTRY
#include "plugin.h"
static const weave_plugin plugin = TABLE;
WEAVE_EXPORT weave_status weave_plugin_entry_v1(const weave_host_api *host, const weave_plugin **out) {
  if (host->abi_major != WEAVE_ABI_MAJOR || host->abi_minor != WEAVE_ABI_MINOR) return WEAVE_E_VERSION;
  *out = &plugin;
  return WEAVE_OK;
}
