/* Needs a minor version that does not exist yet. */
#include "fixture.h"

static weave_status good(void *state, const weave_call *call) { (void)state; return PUT(call, "good\n"); }
static const weave_item items[] = { COMPONENT("bad", good), COMPONENT("good", good) };
static const weave_plugin plugin = {
  .struct_size = sizeof(weave_plugin), .abi_major = WEAVE_ABI_MAJOR, .abi_minor = 9, .min_host_minor = 9,
  .name = WEAVE_STR("abi-minor-needed"), .version = WEAVE_STR("1.0.0"),
  .items = items, .items_count = 2, .items_stride = sizeof(weave_item),
};
WEAVE_EXPORT weave_status weave_plugin_entry_v1(const weave_host_api *host, const weave_plugin **out)
{ (void)host; *out = &plugin; return WEAVE_OK; }
