/* Takes its time, and tells whose build it is in. */
#include "fixture.h"

#include <unistd.h>

static const weave_str deps[] = { WEAVE_STR("cwd") };
static weave_status slow(void *state, const weave_call *call) {
  weave_value value;
  weave_status status = weave_get(call, deps[0], &value);
  (void)state;
  usleep(300 * 1000);
  return status == WEAVE_OK ? weave_write(call, value.text.ptr, value.text.len) : status;
}

static const weave_item items[] = {
  { .struct_size = sizeof(weave_item), .kind = WEAVE_KIND_COMPONENT, .id = WEAVE_STR("slow"), .deps = deps, .deps_count = 1,
    .cache_class = WEAVE_CACHE_VOLATILE, .cache_reason = WEAVE_STR("a test"), .call = slow },
};
TABLE("slow", items, .flags = 0);
