/* It writes on whatever the host says, and then admits it. */
#include "sound.h"
static weave_status broken(void *state, const weave_call *call) {
  int at;
  for (at = 0; at < 1000; at++)
    if (PUT(call, "text") == WEAVE_E_ARG) break;
  (void)state;
  return at == 1000 && PUT(call, ".") < 0 ? WEAVE_E_LIMIT : WEAVE_OK;
}
#define CALL broken
#include "plugin.h"
