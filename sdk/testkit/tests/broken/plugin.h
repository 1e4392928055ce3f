/* The table of a fixture, from the macros that it has set. */
#ifndef KIND
#define KIND WEAVE_KIND_COMPONENT
#endif
#ifndef ID
#define ID WEAVE_STR("note")
#endif
#ifndef NAME
#define NAME WEAVE_STR("broken")
#endif
#ifndef DESCRIPTION
#define DESCRIPTION WEAVE_STR("Notes where it works")
#endif
#ifndef DEPS
#define DEPS sound_deps
#define DEPS_COUNT 2
#endif
#ifndef CACHE
#define CACHE WEAVE_CACHE_SESSION
#endif
#ifndef DATA
#define DATA { 0, 0 }
#endif
#ifndef CALL
#define CALL sound
#endif
#ifndef ITEM_RESERVED
#define ITEM_RESERVED { 0, 0, 0, 0 }
#endif
#ifndef MINOR
#define MINOR WEAVE_ABI_MINOR
#endif
#ifndef FLAGS
#define FLAGS WEAVE_PLUGIN_THREAD_SAFE
#endif
#ifndef STRIDE
#define STRIDE sizeof(weave_item)
#endif
#ifndef INIT
#define INIT NULL
#endif
#ifndef DEINIT
#define DEINIT NULL
#endif

#ifndef OWN_ITEMS
#define ITEMS items
#define ITEMS_COUNT 1
static const weave_item items[] = {{
  .struct_size = sizeof(weave_item), .kind = KIND, .id = ID, .description = DESCRIPTION,
  .deps = DEPS, .deps_count = DEPS_COUNT, .cache_class = CACHE, .data = DATA, .call = CALL,
  .reserved = ITEM_RESERVED,
}};
#endif

#define TABLE { \
  .struct_size = sizeof(weave_plugin), .abi_major = WEAVE_ABI_MAJOR, .abi_minor = MINOR, \
  .flags = FLAGS, .name = NAME, .version = WEAVE_STR("1.0.0"), \
  .items = ITEMS, .items_count = ITEMS_COUNT, .items_stride = STRIDE, .init = INIT, .deinit = DEINIT, \
}

#ifndef OWN_ENTRY
static const weave_plugin plugin = TABLE;

WEAVE_EXPORT weave_status weave_plugin_entry_v1(const weave_host_api *host, const weave_plugin **out) {
  if (host->abi_major != WEAVE_ABI_MAJOR) return WEAVE_E_VERSION;
  *out = &plugin;
  return WEAVE_OK;
}
#endif
