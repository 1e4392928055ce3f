/* It believes that where a branch is there is a folder. */
#include "sound.h"
static weave_status broken(void *state, const weave_call *call) {
  weave_value cwd, branch;
  if (weave_get(call, sound_deps[1], &branch) == WEAVE_OK &&
      weave_get(call, sound_deps[0], &cwd) == WEAVE_NOTHING)
    __builtin_trap();
  return sound(state, call);
}
#define CALL broken
#include "plugin.h"
