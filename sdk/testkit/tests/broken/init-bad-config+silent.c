/* It refuses a configuration without a word. */
#include "sound.h"
static weave_status init(const weave_call *call, void **state) {
  (void)state;
  return call->args.ptr[0] == '{' ? WEAVE_OK : WEAVE_E_PLUGIN;
}
#define INIT init
#include "plugin.h"
