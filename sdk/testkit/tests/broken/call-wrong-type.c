/* It believes that a folder is no number. */
#include "sound.h"
static weave_status broken(void *state, const weave_call *call) {
  weave_value cwd;
  weave_status status = weave_get(call, sound_deps[0], &cwd);
  if (status == WEAVE_OK && cwd.kind == WEAVE_VAL_INT) __builtin_trap();
  return sound(state, call);
}
#define CALL broken
#include "plugin.h"
