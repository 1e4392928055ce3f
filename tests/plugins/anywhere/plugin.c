/* Ends its process, or never comes back, wherever `WHERE` says. */
#include "fixture.h"

#include <stdlib.h>
#include <unistd.h>

enum { IN_CONSTRUCTOR = 1, IN_ENTRY, IN_INIT, IN_MATCHER, IN_HELPER, IN_PROBE, IN_TOOL, IN_DEINIT };

static volatile int on = 1;

static void here(int place) {
  if (place != WHERE) return;
#ifdef LOOPS
  while (on) sleep(1);
#else
  if (on) abort();
#endif
}

__attribute__((constructor)) static void constructor(void) { here(IN_CONSTRUCTOR); }

static weave_status init(const weave_call *call, void **out) { (void)call; (void)out; here(IN_INIT); return WEAVE_OK; }
static void deinit(void *state) { (void)state; here(IN_DEINIT); }
static weave_status good(void *state, const weave_call *call) { (void)state; return PUT(call, "good\n"); }
/* Says that it unwound, so that the host makes a new state. */
static weave_status bad(void *state, const weave_call *call) {
  (void)state;
  return WHERE == IN_DEINIT ? WEAVE_E_PANIC : put(call, "fine\n");
}
static weave_status helper(void *state, const weave_call *call) { (void)state; here(IN_HELPER); return PUT(call, "helped"); }
static weave_status matcher(void *state, const weave_call *call) { (void)state; (void)call; here(IN_MATCHER); return WEAVE_OK; }
static weave_status probe(void *state, const weave_call *call) { (void)state; here(IN_PROBE); return PUT(call, "\"wheel\""); }
static weave_status tool(void *state, const weave_call *call) {
  (void)state;
  here(IN_TOOL);
  return PUT(call, "{\"description\": \"Rings.\"}");
}

#define ITEM(item_kind, name, function) \
  .struct_size = sizeof(weave_item), .kind = (item_kind), .id = WEAVE_STR(name), .cache_class = WEAVE_CACHE_VOLATILE, \
  .cache_reason = WEAVE_STR("a test"), .call = (function)

static const weave_item items[] = {
  COMPONENT("bad", bad), COMPONENT("good", good),
  { ITEM(WEAVE_KIND_HELPER, "helped", helper) },
  { ITEM(WEAVE_KIND_MATCHER, "asked", matcher) },
  { ITEM(WEAVE_KIND_PROBE, "branch", probe), .data = WEAVE_STR("git.branch") },
  { ITEM(WEAVE_KIND_TOOL, "bell", tool) },
};
static const weave_plugin plugin = {
  .struct_size = sizeof(weave_plugin), .abi_major = WEAVE_ABI_MAJOR, .abi_minor = WEAVE_ABI_MINOR,
  .name = WEAVE_STR("anywhere"), .version = WEAVE_STR("1.0.0"), .items = items, .items_count = sizeof items / sizeof items[0],
  .items_stride = sizeof(weave_item), .init = init, .deinit = deinit,
};
WEAVE_EXPORT weave_status weave_plugin_entry_v1(const weave_host_api *host, const weave_plugin **out) {
  (void)host;
  here(IN_ENTRY);
  *out = &plugin;
  return WEAVE_OK;
}
