/* It cuts letters in two. */
#include "sound.h"
static weave_status broken(void *state, const weave_call *call) {
  weave_value cwd;
  weave_status status = get_text(call, 0, &cwd);
  (void)state;
  if (status != WEAVE_OK) return status;
  return weave_write(call, cwd.text.ptr, cwd.text.len < 3 ? cwd.text.len : 3);
}
#define CALL broken
#include "plugin.h"
