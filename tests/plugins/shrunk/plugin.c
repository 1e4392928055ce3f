/* Built against a header without the reserved tails: what is not used is not there. The tables end where the memory ends that
 * may be read, so a host that reads further dies. */
#include "fixture.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#define ITEM_SIZE offsetof(weave_item, reserved)
#define PLUGIN_SIZE offsetof(weave_plugin, reserved)
#define VALUE_SIZE offsetof(weave_value, reserved)

static weave_status said(void *state, const weave_call *call) {
  static const weave_str key = WEAVE_STR("cwd");
  weave_value value;
  weave_status status;
  (void)state;
  memset(&value, 0x5a, sizeof value);
  value.struct_size = VALUE_SIZE;
  status = call->host->get(call->ctx, key, 0, &value);
  if (status != WEAVE_OK) return status;
  if (value.reserved[0] != 0x5a5a5a5a5a5a5a5aull) return fail(call, "the host wrote behind the end");
  weave_write(call, call->item_id.ptr, call->item_id.len);
  put(call, " in ");
  weave_write(call, value.text.ptr, value.text.len);
  return put(call, "\n");
}

/* Room that ends where nothing may be read any more. */
static char *at_the_end(size_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *room = mmap(0, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return 0;
  mprotect(room + page, page, PROT_NONE);
  return room + page - size;
}

static const weave_plugin *made(void) {
  static const weave_str deps[] = { WEAVE_STR("cwd") };
  static const weave_str ids[] = { WEAVE_STR("first"), WEAVE_STR("second"), WEAVE_STR("third") };
  char *items = at_the_end(3 * ITEM_SIZE);
  weave_plugin plugin = {
    .struct_size = PLUGIN_SIZE, .abi_major = WEAVE_ABI_MAJOR, .abi_minor = 0, .name = WEAVE_STR("shrunk"),
    .version = WEAVE_STR("1.0.0"), .items = (const weave_item *)(void *)items, .items_count = 3, .items_stride = ITEM_SIZE,
  };
  char *table = at_the_end(PLUGIN_SIZE);
  int at;
  if (!items || !table) return 0;
  for (at = 0; at < 3; at++) {
    weave_item item = {
      .struct_size = ITEM_SIZE, .kind = WEAVE_KIND_COMPONENT, .id = ids[at], .deps = deps, .deps_count = 1,
      .cache_class = WEAVE_CACHE_SESSION, .call = said,
    };
    memcpy(items + (size_t)at * ITEM_SIZE, &item, ITEM_SIZE);
  }
  memcpy(table, &plugin, PLUGIN_SIZE);
  return (const weave_plugin *)(void *)table;
}

WEAVE_EXPORT weave_status weave_plugin_entry_v1(const weave_host_api *host, const weave_plugin **out) {
  static const weave_plugin *plugin;
  (void)host;
  if (!plugin) plugin = made();
  *out = plugin;
  return plugin ? WEAVE_OK : WEAVE_E_PLUGIN;
}
