/* It works until there is time again. */
#include "sound.h"
static weave_status broken(void *state, const weave_call *call) {
  while (call->host->cancelled(call->ctx) == WEAVE_E_CANCELLED) {}
  return sound(state, call);
}
#define CALL broken
#include "plugin.h"
