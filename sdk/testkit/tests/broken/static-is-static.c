/* It says that it is static, and counts. */
#include "sound.h"
static weave_status broken(void *state, const weave_call *call) {
  static unsigned calls;
  (void)state;
  return calls++ % 2 ? PUT(call, "odd\n") : PUT(call, "even\n");
}
#define CALL broken
#define CACHE WEAVE_CACHE_STATIC
#define DEPS NULL
#define DEPS_COUNT 0
#include "plugin.h"
