/* It talks to whoever listens. */
#include "sound.h"
#include <stdio.h>
static weave_status broken(void *state, const weave_call *call) {
  puts("called");
  return sound(state, call);
}
#define CALL broken
#include "plugin.h"
