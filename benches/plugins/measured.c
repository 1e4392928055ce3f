/* What the benches of plugins call: three keys read, and a crash. */
#include "promptweave.h"

static const weave_str deps[] = { WEAVE_STR("cwd"), WEAVE_STR("git.branch"), WEAVE_STR("user.name") };

static weave_status three(void *state, const weave_call *call) {
  weave_value value;
  unsigned at;
  (void)state;
  for (at = 0; at < sizeof deps / sizeof deps[0]; at++) {
    weave_status status = weave_get(call, deps[at], &value);
    if (status != WEAVE_OK) return status;
    if ((status = weave_write(call, value.text.ptr, value.text.len)) < 0) return status;
  }
  return WEAVE_OK;
}

static weave_status crash(void *state, const weave_call *call) {
  volatile int *nowhere = 0;
  (void)state;
  (void)call;
  *nowhere = 1;
  return WEAVE_OK;
}

#define ITEM(name, function) { \
  .struct_size = sizeof(weave_item), .kind = WEAVE_KIND_COMPONENT, .id = WEAVE_STR(name), \
  .deps = deps, .deps_count = sizeof deps / sizeof deps[0], .cache_class = WEAVE_CACHE_VOLATILE, \
  .cache_reason = WEAVE_STR("each call is to be measured"), .call = function, \
}
static const weave_item items[] = { ITEM("three", three), ITEM("crash", crash) };

static const weave_plugin plugin = {
  .struct_size = sizeof(weave_plugin), .abi_major = WEAVE_ABI_MAJOR, .abi_minor = WEAVE_ABI_MINOR,
  .flags = WEAVE_PLUGIN_THREAD_SAFE, .name = WEAVE_STR(NAME), .version = WEAVE_STR("1.0.0"),
  .items = items, .items_count = sizeof items / sizeof items[0], .items_stride = sizeof(weave_item),
};

WEAVE_EXPORT weave_status weave_plugin_entry_v1(const weave_host_api *host, const weave_plugin **out) {
  if (host->abi_major != WEAVE_ABI_MAJOR) return WEAVE_E_VERSION;
  *out = &plugin;
  return WEAVE_OK;
}
