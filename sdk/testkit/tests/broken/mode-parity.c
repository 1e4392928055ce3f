/* It tells a child process from a host. */
#include "sound.h"
#include <stdlib.h>
static weave_status broken(void *state, const weave_call *call) {
  weave_status status = sound(state, call);
  if (status != WEAVE_OK) return status;
  return getenv("PROMPTWEAVE_PLUGIN_CHILD") ? PUT(call, "child\n") : PUT(call, "host\n");
}
#define CALL broken
#include "plugin.h"
