/* It has room for 64 KiB. */
#include "sound.h"
static weave_status broken(void *state, const weave_call *call) {
  weave_value cwd;
  weave_status status = weave_get(call, sound_deps[0], &cwd);
  if (status == WEAVE_OK && cwd.kind == WEAVE_VAL_STRING && cwd.text.len > 65536) __builtin_trap();
  return sound(state, call);
}
#define CALL broken
#include "plugin.h"
