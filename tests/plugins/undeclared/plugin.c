/* Reads a key that it did not declare. */
#include "fixture.h"

static weave_status bad(void *state, const weave_call *call) {
  static const weave_str key = WEAVE_STR("user.name");
  weave_value value;
  weave_status status = weave_get(call, key, &value);
  (void)state;
  if (status < 0) return status;
  return put(call, "it could be read\n");
}

FIXTURE("undeclared", bad);
