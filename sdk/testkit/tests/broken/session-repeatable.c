/* It says that it is stable, and counts. */
#include "sound.h"
static weave_status broken(void *state, const weave_call *call) {
  static unsigned calls;
  weave_status status = sound(state, call);
  if (status != WEAVE_OK) return status;
  return calls++ % 2 ? PUT(call, "odd\n") : PUT(call, "even\n");
}
#define CALL broken
#include "plugin.h"
