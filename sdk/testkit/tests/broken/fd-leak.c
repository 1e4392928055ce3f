/* Fifty of its calls leave a file open. */
#include "sound.h"
#include <fcntl.h>
static weave_status broken(void *state, const weave_call *call) {
  static int calls;
  if (calls++ < 50 && open("/dev/null", O_RDONLY) < 0) return fail(call, "no file is left");
  return sound(state, call);
}
#define CALL broken
#include "plugin.h"
