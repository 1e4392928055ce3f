/* It keeps 4 KiB of each call. */
#include "sound.h"
#include <stdlib.h>
static weave_status broken(void *state, const weave_call *call) {
  char *kept = malloc(4096);
  if (kept != NULL) memset(kept, 1, 4096);
  return sound(state, call);
}
#define CALL broken
#include "plugin.h"
