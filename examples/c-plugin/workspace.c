/* Names the working folder and, inside a git repository, the branch.
 *
 * In: the context keys `cwd` and `git.branch`. Out: one line of text, or no section.
 * Never: allocates, or reads the world; a component reads the context alone.
 */
#include "promptweave.h"

#define PUT(call, literal) weave_write((call), (literal), sizeof(literal) - 1)

static const weave_str deps[] = { WEAVE_STR("cwd"), WEAVE_STR("git.branch") };
static const weave_str no_text = WEAVE_STR("`cwd` and `git.branch` must be strings");

/* Absent: WEAVE_NOTHING, as `null` is. */
static weave_status get_text(const weave_call *call, weave_str key, weave_value *out) {
  weave_status status = weave_get(call, key, out);
  if (status != WEAVE_OK) return status;
  if (out->kind == WEAVE_VAL_NULL) return WEAVE_NOTHING;
  if (out->kind != WEAVE_VAL_STRING) return weave_fail(call, WEAVE_E_CONTEXT, no_text);
  return WEAVE_OK;
}

static weave_status workspace(void *state, const weave_call *call) {
  weave_value cwd, branch;
  weave_status status = get_text(call, deps[0], &cwd);
  (void)state;
  if (status != WEAVE_OK) return status;
  if ((status = PUT(call, "You work in ")) < 0) return status;
  if ((status = weave_write(call, cwd.text.ptr, cwd.text.len)) < 0) return status;
  if ((status = get_text(call, deps[1], &branch)) < 0) return status;
  if (status == WEAVE_OK) {
    if ((status = PUT(call, ", on the git branch ")) < 0) return status;
    if ((status = weave_write(call, branch.text.ptr, branch.text.len)) < 0) return status;
  }
  return PUT(call, ".\n");
}

static const weave_item items[] = {{
  .struct_size = sizeof(weave_item),
  .kind = WEAVE_KIND_COMPONENT,
  .id = WEAVE_STR("workspace"),
  .description = WEAVE_STR("Names the working folder and the branch"),
  .deps = deps,
  .deps_count = sizeof deps / sizeof deps[0],
  .cache_class = WEAVE_CACHE_SESSION,
  .call = workspace,
}};

static const weave_plugin plugin = {
  .struct_size = sizeof(weave_plugin),
  .abi_major = WEAVE_ABI_MAJOR,
  .abi_minor = WEAVE_ABI_MINOR,
  .flags = WEAVE_PLUGIN_THREAD_SAFE,
  .name = WEAVE_STR("acme-workspace"),
  .version = WEAVE_STR("1.2.0"),
  .description = WEAVE_STR("Tells the model where it works"),
  .items = items,
  .items_count = sizeof items / sizeof items[0],
  .items_stride = sizeof(weave_item),
};

/* What tools can say of this file without loading it; the facts of `plugin.toml`. */
WEAVE_MANIFEST(
  "[plugin]\n"
  "name = \"acme-workspace\"\n"
  "version = \"1.2.0\"\n"
  "abi = \"1.0\"\n"
  "description = \"Tells the model where it works\"\n"
  "[[component]]\n"
  "id = \"workspace\"\n"
  "description = \"Names the working folder and the branch\"\n"
  "cache = \"session\"\n"
  "deps = [\"cwd\", \"git.branch\"]\n");

WEAVE_EXPORT weave_status weave_plugin_entry_v1(const weave_host_api *host, const weave_plugin **out) {
  if (host->abi_major != WEAVE_ABI_MAJOR) return WEAVE_E_VERSION;
  *out = &plugin;
  return WEAVE_OK;
}
