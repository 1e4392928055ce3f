/* Its table says that ABI 1.0 is enough, its entry wants 1.1. */
#include "sound.h"
#define OWN_ENTRY
#define MINOR 1
#include "plugin.h"
static const weave_plugin plugin = TABLE;
WEAVE_EXPORT weave_status weave_plugin_entry_v1(const weave_host_api *host, const weave_plugin **out) {
  if (host->abi_major != WEAVE_ABI_MAJOR || host->abi_minor < 1) return WEAVE_E_VERSION;
  *out = &plugin;
  return WEAVE_OK;
}
