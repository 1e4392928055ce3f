/* `validate.toml` allows no glibc that has this `memcpy`. */
#include "sound.h"
static weave_status copied(void *state, const weave_call *call) {
  char copy[64];
  weave_value cwd;
  weave_status status = get_text(call, 0, &cwd);
  (void)state;
  if (status != WEAVE_OK) return status;
  if (cwd.text.len > sizeof copy) return fail(call, "it is too long");
  memcpy(copy, cwd.text.ptr, cwd.text.len);
  return weave_write(call, copy, cwd.text.len);
}
#define CALL copied
#include "plugin.h"
