/* It refuses an empty configuration without a word. */
#include "sound.h"
static weave_status init(const weave_call *call, void **state) {
  (void)state;
  return call->args.len == 2 && call->args.ptr[0] == '{' ? WEAVE_E_PLUGIN : WEAVE_OK;
}
#define INIT init
#include "plugin.h"
