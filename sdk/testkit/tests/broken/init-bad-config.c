/* It believes that its configuration is small. */
#include "sound.h"
static char config[1000];
static weave_status init(const weave_call *call, void **state) {
  if (call->args.len > sizeof config) __builtin_trap();
  *state = config;
  return WEAVE_OK;
}
#define INIT init
#include "plugin.h"
