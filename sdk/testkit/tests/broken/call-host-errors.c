/* It believes that `get` never fails. */
#include "sound.h"
static weave_status broken(void *state, const weave_call *call) {
  weave_value cwd;
  if (weave_get(call, sound_deps[0], &cwd) < 0) __builtin_trap();
  return sound(state, call);
}
#define CALL broken
#include "plugin.h"
