/* It believes that it is called by its own ids alone. */
#include "sound.h"
static weave_status broken(void *state, const weave_call *call) {
  if (call->item_id.len != 4 || memcmp(call->item_id.ptr, "note", 4) != 0) __builtin_trap();
  return sound(state, call);
}
#define CALL broken
#include "plugin.h"
