// Stops its exception at the border, as the header offers.
#include "fixture.h"
#include <stdexcept>

static weave_status bad(void *, const weave_call *call) {
  return weave_guard(call, [&]() -> weave_status { throw std::runtime_error("out of ideas"); });
}
static weave_status good(void *, const weave_call *call) { return PUT(call, "good\n"); }

static const weave_str none = { 0, 0 };
static const weave_item items[] = {
  { sizeof(weave_item), WEAVE_KIND_COMPONENT, WEAVE_STR("bad"), none, 0, 0, WEAVE_CACHE_VOLATILE, WEAVE_STR("a test"), none, bad,
    0, 0, 0, { 0, 0, 0, 0 } },
  { sizeof(weave_item), WEAVE_KIND_COMPONENT, WEAVE_STR("good"), none, 0, 0, WEAVE_CACHE_VOLATILE, WEAVE_STR("a test"), none, good,
    0, 0, 0, { 0, 0, 0, 0 } },
};
static const weave_plugin plugin = {
  sizeof(weave_plugin), WEAVE_ABI_MAJOR, WEAVE_ABI_MINOR, 0, 0, 0, WEAVE_STR("guarded"), WEAVE_STR("1.0.0"), none, none, none,
  items, 2, sizeof(weave_item), 0, 0, { 0, 0, 0, 0, 0, 0 },
};

WEAVE_EXPORT weave_status weave_plugin_entry_v1(const weave_host_api *, const weave_plugin **out) {
  *out = &plugin;
  return WEAVE_OK;
}
