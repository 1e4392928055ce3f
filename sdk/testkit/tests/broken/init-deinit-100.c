/* It has room for 60 states, and never gives one back. */
#include "sound.h"
static int states[60], made;
static weave_status init(const weave_call *call, void **state) {
  (void)call;
  if (made == 60) __builtin_trap();
  *state = &states[made++];
  return WEAVE_OK;
}
static void deinit(void *state) { (void)state; }
#define INIT init
#define DEINIT deinit
#include "plugin.h"
