/* It says that calls may overlap, and keeps its text in one place. */
#include "sound.h"
#include <time.h>
static weave_status broken(void *state, const weave_call *call) {
  static char text[64];
  const struct timespec moment = { 0, 200000 };
  weave_value cwd;
  weave_status status = get_text(call, 0, &cwd);
  size_t length;
  (void)state;
  if (status != WEAVE_OK) return status;
  length = cwd.text.len < sizeof text ? cwd.text.len : sizeof text - 1;
  while (length > 0 && (cwd.text.ptr[length - 1] & 0x80)) length--;
  memset(text, 0, sizeof text);
  memcpy(text, cwd.text.ptr, length);
  nanosleep(&moment, NULL);
  return weave_write(call, text, length);
}
#define CALL broken
#include "plugin.h"
