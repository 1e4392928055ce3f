/* It would end its host, if it were ever called without a call. */
#include "sound.h"
#include <stdlib.h>
static weave_status leaving(void *state, const weave_call *call) {
  if (call == NULL) exit(1);
  return sound(state, call);
}
#define CALL leaving
#include "plugin.h"
