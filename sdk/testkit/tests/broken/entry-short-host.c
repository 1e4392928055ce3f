/* Its entry trusts that the host has all functions. */
#include "sound.h"
#define OWN_ENTRY
#include "plugin.h"
static const weave_plugin plugin = TABLE;
WEAVE_EXPORT weave_status weave_plugin_entry_v1(const weave_host_api *host, const weave_plugin **out) {
  if (host->abi_major != WEAVE_ABI_MAJOR) return WEAVE_E_VERSION;
  if (host->meta == NULL) return WEAVE_E_UNSUPPORTED;
  *out = &plugin;
  return WEAVE_OK;
}
