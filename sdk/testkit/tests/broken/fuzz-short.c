/* It believes that not all of its keys are numbers. */
#include "sound.h"
static weave_status broken(void *state, const weave_call *call) {
  weave_value cwd, branch;
  if (weave_get(call, sound_deps[0], &cwd) == WEAVE_OK && cwd.kind == WEAVE_VAL_INT &&
      weave_get(call, sound_deps[1], &branch) == WEAVE_OK && branch.kind == WEAVE_VAL_FLOAT)
    __builtin_trap();
  return sound(state, call);
}
#define CALL broken
#include "plugin.h"
