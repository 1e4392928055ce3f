/* Built against a header of a later minor version: every struct that it fills has one more field. */
#include "fixture.h"

typedef struct grown_item { weave_item item; uint64_t later; } grown_item;
typedef struct grown_plugin { weave_plugin plugin; const char *later; } grown_plugin;

static weave_status said(void *state, const weave_call *call) {
  weave_status status;
  struct { weave_value value; uint64_t later[4]; } grown;
  static const weave_str key = WEAVE_STR("cwd");
  (void)state;
  memset(&grown, 0x5a, sizeof grown);
  grown.value.struct_size = sizeof grown;
  status = call->host->get(call->ctx, key, 0, &grown.value);
  if (status != WEAVE_OK) return status;
  if (grown.later[0] != 0x5a5a5a5a5a5a5a5aull) return fail(call, "the host wrote behind what it knows");
  weave_write(call, call->item_id.ptr, call->item_id.len);
  put(call, " in ");
  weave_write(call, grown.value.text.ptr, grown.value.text.len);
  return put(call, "\n");
}

static const weave_str deps[] = { WEAVE_STR("cwd") };
#define GROWN(name) \
  { .item = { .struct_size = sizeof(grown_item), .kind = WEAVE_KIND_COMPONENT, .id = WEAVE_STR(name), .deps = deps, .deps_count = 1, \
    .cache_class = WEAVE_CACHE_SESSION, .call = said }, .later = ~0ull }

static const grown_item items[] = { GROWN("first"), GROWN("second"), GROWN("third") };
static const grown_plugin plugin = {
  .plugin = {
    .struct_size = sizeof(grown_plugin), .abi_major = WEAVE_ABI_MAJOR, .abi_minor = WEAVE_ABI_MINOR + 1,
    .name = WEAVE_STR("grown"), .version = WEAVE_STR("1.0.0"),
    .items = &items[0].item, .items_count = 3, .items_stride = sizeof(grown_item),
  },
  .later = "a text",
};
WEAVE_EXPORT weave_status weave_plugin_entry_v1(const weave_host_api *host, const weave_plugin **out)
{ (void)host; *out = &plugin.plugin; return WEAVE_OK; }
