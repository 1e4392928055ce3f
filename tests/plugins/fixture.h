/* What the small plugins of the tests share: a table with the items `bad` and `good`.
 *
 * In: a name and the function of `bad`. Out: a whole plugin. Never: does anything by itself.
 */
#ifndef FIXTURE_H
#define FIXTURE_H
#include "promptweave.h"

#include <string.h>

#define PUT(call, literal) weave_write((call), (literal), sizeof(literal) - 1)

static inline weave_status put(const weave_call *call, const char *text)
{ return weave_write(call, text, strlen(text)); }

static inline weave_status fail(const weave_call *call, const char *text)
{ weave_str message; message.ptr = text; message.len = strlen(text); return weave_fail(call, WEAVE_E_PLUGIN, message); }

#ifndef __cplusplus
#define COMPONENT(name, function) \
  { .struct_size = sizeof(weave_item), .kind = WEAVE_KIND_COMPONENT, .id = WEAVE_STR(name), \
    .cache_class = WEAVE_CACHE_VOLATILE, .cache_reason = WEAVE_STR("a test"), .call = (function) }

/* The table of any items; `...` are further fields. */
#define TABLE(plugin_name, list, ...) \
  static const weave_plugin plugin = { \
    .struct_size = sizeof(weave_plugin), .abi_major = WEAVE_ABI_MAJOR, .abi_minor = WEAVE_ABI_MINOR, \
    .name = WEAVE_STR(plugin_name), .version = WEAVE_STR("1.0.0"), \
    .items = (list), .items_count = sizeof(list) / sizeof((list)[0]), .items_stride = sizeof(weave_item), \
    __VA_ARGS__ \
  }; \
  WEAVE_EXPORT weave_status weave_plugin_entry_v1(const weave_host_api *host, const weave_plugin **out) \
  { (void)host; *out = &plugin; return WEAVE_OK; } \
  typedef int fixture_end

#define FIXTURE(plugin_name, bad) \
  static weave_status good(void *state, const weave_call *call) { (void)state; return PUT(call, "good\n"); } \
  static const weave_item items[] = { COMPONENT("bad", bad), COMPONENT("good", good) }; \
  TABLE(plugin_name, items, .flags = 0)
#endif
#endif
