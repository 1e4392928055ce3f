/* Its entry has two tables. */
#include "sound.h"
#define OWN_ENTRY
#include "plugin.h"
static const weave_plugin tables[2] = { TABLE, TABLE };
WEAVE_EXPORT weave_status weave_plugin_entry_v1(const weave_host_api *host, const weave_plugin **out) {
  static unsigned asked;
  if (host->abi_major != WEAVE_ABI_MAJOR) return WEAVE_E_VERSION;
  *out = &tables[asked++ % 2];
  return WEAVE_OK;
}
