/* A helper, a matcher and components that say whose build they are in: a build asks for all of them, and holds a child meanwhile. */
#include "fixture.h"

static const weave_str deps[] = { WEAVE_STR("cwd") };
static const weave_str sections[] = { WEAVE_STR("own") };

static weave_status own(void *state, const weave_call *call) {
  weave_value value;
  weave_status status = weave_get(call, deps[0], &value);
  (void)state;
  return status == WEAVE_OK ? weave_write(call, value.text.ptr, value.text.len) : status;
}
static weave_status again(void *state, const weave_call *call) {
  weave_str text;
  weave_status status = call->host->section(call->ctx, sections[0], &text);
  (void)state;
  return status == WEAVE_OK ? weave_write(call, text.ptr, text.len) : status;
}
static weave_status matches(void *state, const weave_call *call) { (void)state; (void)call; return WEAVE_OK; }

#define ITEM(item_kind, name, function) \
  .struct_size = sizeof(weave_item), .kind = (item_kind), .id = WEAVE_STR(name), .deps = deps, .deps_count = 1, \
  .cache_class = WEAVE_CACHE_VOLATILE, .cache_reason = WEAVE_STR("a test"), .call = (function)

static const weave_item items[] = {
  { ITEM(WEAVE_KIND_COMPONENT, "own", own) },
  { ITEM(WEAVE_KIND_COMPONENT, "again", again), .sections = sections, .sections_count = 1 },
  { ITEM(WEAVE_KIND_HELPER, "helped", own) },
  { ITEM(WEAVE_KIND_MATCHER, "always", matches) },
};
TABLE("helps", items, .flags = 0);
