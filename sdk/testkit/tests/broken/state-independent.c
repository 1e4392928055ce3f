/* Its text says how many states there are. */
#include "sound.h"
static int states;
static weave_status init(const weave_call *call, void **state) {
  (void)call;
  states++;
  *state = &states;
  return WEAVE_OK;
}
static void deinit(void *state) {
  (void)state;
  states--;
}
static weave_status broken(void *state, const weave_call *call) {
  weave_status status = sound(state, call);
  if (status != WEAVE_OK) return status;
  return states == 1 ? PUT(call, "alone\n") : PUT(call, "among others\n");
}
#define INIT init
#define DEINIT deinit
#define CALL broken
#include "plugin.h"
