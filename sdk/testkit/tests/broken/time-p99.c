/* Ten of its calls take long. */
#include "sound.h"
#include <time.h>
static weave_status broken(void *state, const weave_call *call) {
  static int calls;
  const struct timespec long_time = { 0, 80000000 };
  calls++;
  if (calls >= 50 && calls < 60) nanosleep(&long_time, NULL);
  return sound(state, call);
}
#define CALL broken
#include "plugin.h"
