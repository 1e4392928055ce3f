/* Counts how often its items are called. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct counts { unsigned fixed, session; } counts;

static weave_status init(const weave_call *call, void **out) {
  (void)call;
  *out = calloc(1, sizeof(counts));
  return *out ? WEAVE_OK : WEAVE_E_PLUGIN;
}
static weave_status fixed(void *state, const weave_call *call) { ((counts *)state)->fixed++; return put(call, "fixed\n"); }
static const weave_str deps[] = { WEAVE_STR("cwd") };
static weave_status session(void *state, const weave_call *call) {
  weave_value value;
  weave_status status = weave_get(call, deps[0], &value);
  ((counts *)state)->session++;
  if (status != WEAVE_OK) return status;
  return weave_write(call, value.text.ptr, value.text.len);
}
/* Yields nothing, which is an answer too. */
static weave_status silent(void *state, const weave_call *call) { (void)call; ((counts *)state)->fixed++; return WEAVE_NOTHING; }
/* A failure is asked again. */
static weave_status failing(void *state, const weave_call *call) { ((counts *)state)->session++; return fail(call, "not today"); }
static weave_status told(void *state, const weave_call *call) {
  const counts *own = state;
  char line[64];
  snprintf(line, sizeof line, "fixed %u, session %u\n", own->fixed, own->session);
  return put(call, line);
}

static const weave_item items[] = {
  { .struct_size = sizeof(weave_item), .kind = WEAVE_KIND_COMPONENT, .id = WEAVE_STR("fixed"), .cache_class = WEAVE_CACHE_STATIC, .call = fixed },
  { .struct_size = sizeof(weave_item), .kind = WEAVE_KIND_COMPONENT, .id = WEAVE_STR("silent"), .cache_class = WEAVE_CACHE_STATIC, .call = silent },
  { .struct_size = sizeof(weave_item), .kind = WEAVE_KIND_COMPONENT, .id = WEAVE_STR("session"), .deps = deps, .deps_count = 1,
    .cache_class = WEAVE_CACHE_SESSION, .call = session },
  { .struct_size = sizeof(weave_item), .kind = WEAVE_KIND_COMPONENT, .id = WEAVE_STR("failing"), .cache_class = WEAVE_CACHE_SESSION, .call = failing },
  COMPONENT("told", told),
};
TABLE("counter", items, .init = init, .deinit = free);
