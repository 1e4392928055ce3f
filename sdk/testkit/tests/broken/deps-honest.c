/* It looks for the name of the user. */
#include "sound.h"
static weave_status broken(void *state, const weave_call *call) {
  static const weave_str name = WEAVE_STR("user.name");
  weave_value user;
  weave_get(call, name, &user);
  return sound(state, call);
}
#define CALL broken
#include "plugin.h"
