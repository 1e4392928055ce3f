/* Compiled against a later header, whose items have a field more. */
#include "sound.h"
typedef struct grown_item {
  weave_item item;
  uint64_t more;
} grown_item;
#define OWN_ITEMS
static const grown_item items[] = {{
  .item = {
    .struct_size = sizeof(grown_item), .kind = WEAVE_KIND_COMPONENT, .id = WEAVE_STR("note"),
    .deps = sound_deps, .deps_count = 2, .cache_class = WEAVE_CACHE_SESSION, .call = sound,
  },
  .more = 7,
}, {
  .item = {
    .struct_size = sizeof(grown_item), .kind = WEAVE_KIND_COMPONENT, .id = WEAVE_STR("again"),
    .deps = sound_deps, .deps_count = 2, .cache_class = WEAVE_CACHE_SESSION, .call = sound,
  },
}};
#define ITEMS (const weave_item *)items
#define ITEMS_COUNT 2
#define MINOR 1
#define STRIDE sizeof(grown_item)
#include "plugin.h"
