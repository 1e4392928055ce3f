/* It writes where the user lives. */
#include "sound.h"
#include <stdlib.h>
static weave_status broken(void *state, const weave_call *call) {
  const char *home = getenv("HOME");
  weave_status status = sound(state, call);
  if (status != WEAVE_OK || home == NULL) return status;
  return weave_write(call, home, strlen(home));
}
#define CALL broken
#include "plugin.h"
