/* It has a table of 128 letters. */
#include "sound.h"
static weave_status broken(void *state, const weave_call *call) {
  weave_value cwd;
  size_t at;
  if (weave_get(call, sound_deps[0], &cwd) == WEAVE_OK && cwd.kind == WEAVE_VAL_STRING)
    for (at = 0; at < cwd.text.len; at++)
      if ((unsigned char)cwd.text.ptr[at] > 127) __builtin_trap();
  return sound(state, call);
}
#define CALL broken
#include "plugin.h"
