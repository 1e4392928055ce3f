/* It follows lists and objects with a small stack. */
#include "sound.h"
static weave_status broken(void *state, const weave_call *call) {
  weave_value cwd;
  weave_status status = weave_get(call, sound_deps[0], &cwd);
  if (status == WEAVE_OK && cwd.kind >= WEAVE_VAL_ARRAY && cwd.text.len > 1000) __builtin_trap();
  return sound(state, call);
}
#define CALL broken
#include "plugin.h"
