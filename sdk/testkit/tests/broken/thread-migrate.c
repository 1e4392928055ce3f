/* What it knows, only the thread of `init` knows. */
#include "sound.h"
static __thread int known;
static weave_status init(const weave_call *call, void **state) {
  (void)call;
  known = 1;
  *state = NULL;
  return WEAVE_OK;
}
static weave_status broken(void *state, const weave_call *call) {
  weave_status status = sound(state, call);
  if (status != WEAVE_OK) return status;
  return known ? PUT(call, "known\n") : PUT(call, "unknown\n");
}
#define INIT init
#define CALL broken
#define FLAGS 0
#include "plugin.h"
