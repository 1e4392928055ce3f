/* What fixtures share: a component that keeps every promise.
 *
 * A fixture changes one thing of it, in a macro or in code, and then includes `plugin.h`.
 */
#include "promptweave.h"
#include <stddef.h>
#include <string.h>

#define PUT(call, literal) weave_write((call), (literal), sizeof(literal) - 1)
#define UNUSED __attribute__((unused))
#define ON_LOAD __attribute__((constructor))

static const weave_str sound_deps[] = { WEAVE_STR("cwd"), WEAVE_STR("git.branch") };

static weave_status fail(const weave_call *call, const char *why) {
  weave_str text;
  text.ptr = why;
  text.len = strlen(why);
  return weave_fail(call, WEAVE_E_CONTEXT, text);
}

/* A dependency as text; absent and null are WEAVE_NOTHING. */
static UNUSED weave_status get_text(const weave_call *call, int dep, weave_value *out) {
  weave_status status = weave_get(call, sound_deps[dep], out);
  if (status != WEAVE_OK) return status;
  if (out->kind == WEAVE_VAL_NULL) return WEAVE_NOTHING;
  if (out->kind != WEAVE_VAL_STRING) return fail(call, "it must be a string");
  return WEAVE_OK;
}

static UNUSED weave_status put_text(const weave_call *call, weave_value *value) {
  return weave_write(call, value->text.ptr, value->text.len);
}

/* Writes both dependencies. */
static UNUSED weave_status sound(void *state, const weave_call *call) {
  weave_value cwd, branch;
  weave_status status = get_text(call, 0, &cwd);
  (void)state;
  if (status != WEAVE_OK) return status;
  if ((status = put_text(call, &cwd)) < 0) return status;
  if ((status = get_text(call, 1, &branch)) < 0) return status;
  if (status == WEAVE_OK && (status = put_text(call, &branch)) < 0) return status;
  return PUT(call, ".\n");
}
