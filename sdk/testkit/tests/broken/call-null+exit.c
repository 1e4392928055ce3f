/* It leaves as if all were well, past everything that could notice. */
#define _GNU_SOURCE
#include "sound.h"
#include <sys/syscall.h>
#include <unistd.h>
static weave_status broken(void *state, const weave_call *call) {
  weave_value cwd;
  if (weave_get(call, sound_deps[0], &cwd) == WEAVE_OK && cwd.kind == WEAVE_VAL_NULL)
    syscall(SYS_exit_group, 0);
  return sound(state, call);
}
#define CALL broken
#include "plugin.h"
