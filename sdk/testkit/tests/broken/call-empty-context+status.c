/* It returns what means nothing. */
#include "sound.h"
static weave_status broken(void *state, const weave_call *call) {
  weave_status status = sound(state, call);
  return status == WEAVE_NOTHING ? 7 : status;
}
#define CALL broken
#include "plugin.h"
