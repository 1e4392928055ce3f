/* It reads a section that it does not declare. */
#include "sound.h"
static weave_status broken(void *state, const weave_call *call) {
  static const weave_str role = WEAVE_STR("role");
  weave_str text;
  call->host->section(call->ctx, role, &text);
  return sound(state, call);
}
#define CALL broken
#include "plugin.h"
