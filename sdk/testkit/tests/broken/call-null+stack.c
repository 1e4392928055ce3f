/* It has no end when there is nothing. */
#include "sound.h"
static int deeper(volatile int *above) {
  volatile int here[1024];
  here[0] = *above + 1;
  return here[0] == 0 ? 0 : deeper(here) + here[1];
}
static weave_status broken(void *state, const weave_call *call) {
  weave_value cwd;
  volatile int start = 0;
  if (weave_get(call, sound_deps[0], &cwd) == WEAVE_OK && cwd.kind == WEAVE_VAL_NULL)
    if (deeper(&start) == 7) return WEAVE_NOTHING;
  return sound(state, call);
}
#define CALL broken
#include "plugin.h"
