/* It does not look at what `write` says. */
#include "sound.h"
static weave_status broken(void *state, const weave_call *call) {
  weave_value cwd;
  weave_status status = get_text(call, 0, &cwd);
  (void)state;
  if (status != WEAVE_OK) return status;
  put_text(call, &cwd);
  PUT(call, ".\n");
  return WEAVE_OK;
}
#define CALL broken
#include "plugin.h"
