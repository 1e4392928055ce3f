/* An item of every kind that does what the contract allows, and prints all that it is told. */
#include "fixture.h"
#include "promptweave-origin.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define ITEM(item_kind, name, function, class, ...) \
  { .struct_size = sizeof(weave_item), .kind = (item_kind), .id = WEAVE_STR(name), .cache_class = (class), \
    .call = (function), .description = WEAVE_STR("For a test"), __VA_ARGS__ }
#define DEPS(list) .deps = (list), .deps_count = COUNT(list)

typedef struct state { char config[256]; } state;

static weave_str str(const char *text) { weave_str it; it.ptr = text; it.len = strlen(text); return it; }

static weave_status init(const weave_call *call, void **out) {
  state *own = calloc(1, sizeof *own);
  snprintf(own->config, sizeof own->config, "%.*s", (int)call->args.len, call->args.ptr);
  if (call->args.len > 0 && call->args.ptr[0] != '{') return fail(call, "the configuration is no object");
  *out = own;
  return WEAVE_OK;
}
static void deinit(void *own) { free(own); }

/* `key: status kind bytes text` */
static void told(const weave_call *call, const char *key, weave_status status, const weave_value *value) {
  char line[256];
  snprintf(line, sizeof line, "%s: %d", key, (int)status);
  put(call, line);
  if (status == WEAVE_OK) {
    snprintf(line, sizeof line, " kind %u, %u bytes: ", (unsigned)value->kind, (unsigned)value->text.len);
    put(call, line);
    weave_write(call, value->text.ptr, value->text.len);
  }
  put(call, "\n");
}
static weave_status read_with(const weave_call *call, const char *key, uint32_t flags) {
  weave_value value = { .struct_size = sizeof value };
  weave_status status = call->host->get(call->ctx, str(key), flags, &value);
  told(call, key, status, &value);
  return status;
}
static void read_key(const weave_call *call, const char *key) { read_with(call, key, 0); }
static void read_variant(const weave_call *call, const char *key, uint32_t flags) {
  weave_value value = { .struct_size = sizeof value };
  weave_status status = call->host->variant(call->ctx, str(key), flags, &value);
  told(call, key, status, &value);
}

static weave_status fixed(void *own, const weave_call *call) {
  const char *keys[] = { "id", "version", "family", "labels", "tags", "placeholders", "placeholders.AGENT", "/tags/0", "unheard" };
  size_t at;
  put(call, ((state *)own)->config);
  put(call, "\n");
  weave_write(call, call->item_id.ptr, call->item_id.len);
  put(call, " of ");
  weave_write(call, call->variant_id.ptr, call->variant_id.len);
  put(call, call->args.ptr || call->context.ptr ? ", with more\n" : "\n");
  put(call, call->budget_us > 0 ? "it has a budget\n" : "it has no budget\n");
  for (at = 0; at < COUNT(keys); at++) read_variant(call, keys[at], 0);
  read_variant(call, "id", WEAVE_GET_JSON);
  return WEAVE_OK;
}

static const weave_str values_deps[] = { WEAVE_STR("kinds"), WEAVE_STR("cwd"), WEAVE_STR("tools"), WEAVE_STR("kinds.string") };
static weave_status values(void *own, const weave_call *call) {
  const char *keys[] = {
    "kinds.null", "kinds.bool", "kinds.int", "kinds.big", "kinds.float", "kinds.small", "kinds.string", "kinds.array", "kinds.object",
    "cwd", "kinds", "kinds.floats", "kinds.odd", "/kinds/odd/a~1b", "/kinds/odd/c~0d", "/cwd", "kinds.string.length",
  };
  size_t at;
  (void)own;
  for (at = 0; at < COUNT(keys); at++) read_key(call, keys[at]);
  for (at = 0; at < COUNT(keys); at++) read_with(call, keys[at], WEAVE_GET_JSON);
  return WEAVE_OK;
}

static weave_status nested(void *own, const weave_call *call) {
  const char *keys[] = {
    "tools[0].name", "tools.0.name", "/tools/1/name", "/tools/01/name", "tools[+1].name", "tools[9].name", "tools[0]", "tools", "kinds.array[1]",
    "kinds.array[1][0]", "kinds.deep.a.b.c", "kinds.absent", "", "a..b", "tools[", "tools[x]", "/", "kinds.array.-",
  };
  size_t at;
  (void)own;
  for (at = 0; at < COUNT(keys); at++) read_key(call, keys[at]);
  return WEAVE_OK;
}

static const weave_str nosy_deps[] = { WEAVE_STR("user.language") };
static weave_status nosy(void *own, const weave_call *call) {
  (void)own;
  read_key(call, "user.name");
  read_key(call, "user");
  read_key(call, "user.language");
  read_key(call, "user.languages");
  return WEAVE_OK;
}

static const weave_str reading_sections[] = { WEAVE_STR("fixed"), WEAVE_STR("nothing"), WEAVE_STR("later") };
static weave_status reading(void *own, const weave_call *call) {
  const char *ids[] = { "fixed", "nothing", "later", "values" };
  size_t at;
  (void)own;
  for (at = 0; at < COUNT(ids); at++) {
    weave_value value = { .struct_size = sizeof value };
    told(call, ids[at], call->host->section(call->ctx, str(ids[at]), &value.text), &value);
  }
  return WEAVE_OK;
}

static weave_status widened(void *own, const weave_call *call) {
  char line[128];
  weave_status title = call->host->meta(call->ctx, str("title"), str("\"Wide\""));
  weave_status narrow = call->host->meta(call->ctx, str("cache"), str("\"static\""));
  weave_status broken = call->host->meta(call->ctx, str("cache"), str("{"));
  weave_status wide = call->host->meta(call->ctx, str("cache"), str("{\"class\": \"volatile\", \"reason\": \"it saw the moon\"}"));
  (void)own;
  snprintf(line, sizeof line, "title %d, narrow %d, broken %d, wide %d\n", (int)title, (int)narrow, (int)broken, (int)wide);
  return put(call, line);
}

static weave_status clock_(void *own, const weave_call *call) { (void)own; return put(call, "noon\n"); }

static weave_status whole(void *own, const weave_call *call) {
  (void)own;
  weave_write(call, call->context.ptr, call->context.len);
  read_key(call, "cwd");
  return WEAVE_OK;
}

static weave_status origins(void *own, const weave_call *call) {
  char line[128];
  weave_status first, later, backwards, beyond;
  const weave_origin_extension *origin =
    (const weave_origin_extension *)call->host->extension(str(WEAVE_ORIGIN_EXTENSION));
  (void)own;
  put(call, "first rule\nsecond rule\n");
  if (!origin || !WEAVE_HAS(origin, weave_origin_extension, add)) return fail(call, "no extension");
  first = origin->add(call->ctx, 0, 11, str("rules/a.md"), 3);
  later = origin->add(call->ctx, 11, 22, str("rules/b.md"), 0);
  backwards = origin->add(call->ctx, 5, 3, str("rules/c.md"), 1);
  beyond = origin->add(call->ctx, 5, 300, str("rules/d.md"), 1);
  snprintf(line, sizeof line, "%d %d %d %d %d\n", (int)first, (int)later, (int)backwards, (int)beyond, call->host->extension(str("weave.none/1")) != 0);
  return put(call, line);
}

static weave_status reports(void *own, const weave_call *call) {
  (void)own;
  call->host->report(call->ctx, WEAVE_LOG_ERROR, str("rule-lost"), str("the rule `a` is lost"), str("write it again"));
  call->host->report(call->ctx, WEAVE_LOG_WARN, str("rule-old"), str("the rule `b` is old"), str(""));
  call->host->report(call->ctx, WEAVE_LOG_INFO, str("rule-new"), str("two\nlines and \x1b[31m red"), str(""));
  call->host->log(call->ctx, WEAVE_LOG_INFO, str("a line"));
  return put(call, "reported\n");
}

static weave_status nothing(void *own, const weave_call *call) { (void)own; put(call, "dropped\n"); return WEAVE_NOTHING; }
static weave_status empty(void *own, const weave_call *call) { (void)own; (void)call; return WEAVE_OK; }
static weave_status odd_status(void *own, const weave_call *call) { (void)own; put(call, "fine\n"); return 77; }
static weave_status unknown_failure(void *own, const weave_call *call) { (void)own; put(call, "lost\n"); return -4711; }
static weave_status no_context(void *own, const weave_call *call) { (void)own; (void)call; return WEAVE_E_CONTEXT; }

static weave_status shout(void *own, const weave_call *call) {
  (void)own;
  put(call, "<");
  weave_write(call, call->args.ptr, call->args.len);
  put(call, "> in ");
  read_key(call, "cwd");
  return WEAVE_OK;
}
static weave_status mute(void *own, const weave_call *call) { (void)own; return fail(call, "it lost its voice"); }

static const weave_str chosen_deps[] = { WEAVE_STR("model.id") };
static weave_status chosen(void *own, const weave_call *call) {
  weave_value value;
  weave_status status = weave_get(call, chosen_deps[0], &value);
  (void)own;
  if (status != WEAVE_OK) return status;
  return value.text.len == 5 && memcmp(value.text.ptr, "acme-", 5) == 0 ? WEAVE_OK : WEAVE_NOTHING;
}
static weave_status unsure(void *own, const weave_call *call) { (void)own; return fail(call, "it cannot decide"); }

static weave_status branch(void *own, const weave_call *call) { (void)own; return put(call, "\"wheel\""); }
static weave_status user(void *own, const weave_call *call) { (void)own; return put(call, "no JSON"); }
static weave_status system_(void *own, const weave_call *call) { (void)own; return fail(call, "there is no system"); }

static weave_status bell(void *own, const weave_call *call) {
  (void)own;
  return put(call, "{\"description\": \"Rings.\", \"parameter\": [{\"name\": \"times\", \"type\": \"integer\", \"required\": true, \"description\": \"How often.\"}]}");
}
static weave_status broken(void *own, const weave_call *call) { (void)own; return put(call, "{"); }

static const weave_str cwd[] = { WEAVE_STR("cwd") };
static const weave_item items[] = {
  ITEM(WEAVE_KIND_COMPONENT, "fixed", fixed, WEAVE_CACHE_STATIC, .flags = 0),
  ITEM(WEAVE_KIND_COMPONENT, "values", values, WEAVE_CACHE_SESSION, DEPS(values_deps)),
  ITEM(WEAVE_KIND_COMPONENT, "nested", nested, WEAVE_CACHE_SESSION, DEPS(values_deps)),
  ITEM(WEAVE_KIND_COMPONENT, "nosy", nosy, WEAVE_CACHE_SESSION, DEPS(nosy_deps)),
  ITEM(WEAVE_KIND_COMPONENT, "reading", reading, WEAVE_CACHE_SESSION, .sections = reading_sections, .sections_count = COUNT(reading_sections)),
  ITEM(WEAVE_KIND_COMPONENT, "widened", widened, WEAVE_CACHE_SESSION, .flags = 0),
  ITEM(WEAVE_KIND_COMPONENT, "clock", clock_, WEAVE_CACHE_VOLATILE, .cache_reason = WEAVE_STR("tells the time")),
  ITEM(WEAVE_KIND_COMPONENT, "later_class", clock_, 9, .flags = 0),
  ITEM(WEAVE_KIND_COMPONENT, "whole", whole, WEAVE_CACHE_VOLATILE, .flags = WEAVE_ITEM_WANTS_CONTEXT),
  ITEM(WEAVE_KIND_COMPONENT, "origins", origins, WEAVE_CACHE_SESSION, .flags = 0),
  ITEM(WEAVE_KIND_COMPONENT, "reports", reports, WEAVE_CACHE_SESSION, .flags = 0),
  ITEM(WEAVE_KIND_COMPONENT, "nothing", nothing, WEAVE_CACHE_SESSION, .flags = 0),
  ITEM(WEAVE_KIND_COMPONENT, "empty", empty, WEAVE_CACHE_SESSION, .flags = 0),
  ITEM(WEAVE_KIND_COMPONENT, "odd_status", odd_status, WEAVE_CACHE_SESSION, .flags = 0),
  ITEM(WEAVE_KIND_COMPONENT, "unknown_failure", unknown_failure, WEAVE_CACHE_SESSION, .flags = 0),
  ITEM(WEAVE_KIND_COMPONENT, "no_context", no_context, WEAVE_CACHE_SESSION, .flags = 0),
  ITEM(WEAVE_KIND_HELPER, "shout_out", shout, WEAVE_CACHE_SESSION, DEPS(cwd)),
  ITEM(WEAVE_KIND_HELPER, "mute", mute, WEAVE_CACHE_STATIC, .flags = 0),
  ITEM(WEAVE_KIND_MATCHER, "chosen", chosen, WEAVE_CACHE_SESSION, DEPS(chosen_deps)),
  ITEM(WEAVE_KIND_MATCHER, "unsure", unsure, WEAVE_CACHE_SESSION, .flags = 0),
  ITEM(WEAVE_KIND_PROBE, "branch", branch, WEAVE_CACHE_SESSION, .data = WEAVE_STR("git.branch")),
  ITEM(WEAVE_KIND_PROBE, "user", user, WEAVE_CACHE_SESSION, .data = WEAVE_STR("git.user")),
  ITEM(WEAVE_KIND_PROBE, "system", system_, WEAVE_CACHE_SESSION, .data = WEAVE_STR("os")),
  ITEM(WEAVE_KIND_VARIANT, "acme", 0, 0, .data = WEAVE_STR(
    "{\"extends\": \"generic\", \"match\": {\"matchers\": [\"parity/chosen\"]}, \"tags\": [\"large\", \"new\"],"
    " \"placeholders\": {\"AGENT\": \"Weaver\"}}")),
  ITEM(WEAVE_KIND_VARIANT, "unsure", 0, 0, .data = WEAVE_STR("{\"extends\": \"generic\", \"match\": {\"matchers\": [\"parity/unsure\"]}}")),
  ITEM(WEAVE_KIND_TOOL, "ring", 0, 0, .data = WEAVE_STR("{\"description\": \"Rings twice.\"}")),
  ITEM(WEAVE_KIND_TOOL, "bell", bell, 0, .flags = 0),
  ITEM(WEAVE_KIND_TOOL, "broken", broken, 0, .flags = 0),
  ITEM(99, "of_the_future", bell, 0, .flags = 0),
};
TABLE("parity", items, .flags = WEAVE_PLUGIN_THREAD_SAFE, .init = init, .deinit = deinit);
