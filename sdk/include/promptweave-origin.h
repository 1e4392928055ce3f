/* promptweave-origin.h: the host extension "weave.origin/1". C99 or C++11.
 *
 * A section that a plugin merges from several files loses where each line came from. A host that
 * offers this extension takes a note for each stretch of what the current call has written, and
 * shows it wherever it shows origins. A host that does not offer it loses nothing else.
 *
 *   const weave_origin_extension *origin =
 *     (const weave_origin_extension *)c->host->extension(id);       id = WEAVE_ORIGIN_EXTENSION
 *   if (origin && WEAVE_HAS(origin, weave_origin_extension, add))
 *     origin->add(c->ctx, start, end, path, line);
 */
#ifndef PROMPTWEAVE_ORIGIN_H
#define PROMPTWEAVE_ORIGIN_H
#include "promptweave.h"
#ifdef __cplusplus
extern "C" {
#endif
#define WEAVE_ORIGIN_EXTENSION "weave.origin/1"

typedef struct weave_origin_extension {   /* lives until the process ends */
  uint32_t struct_size, reserved;
  /* The bytes start..end of what this call has written so far come from the file `path`, where the
   * first of them stands on line `line` (from 1; 0 = not known). Offsets count from the call's first
   * byte. Call it after the write; later notes win where they overlap. A path is any text, and is
   * copied. WEAVE_E_ARG: start > end, end > what was written, or the path is not UTF-8. */
  weave_status (*add)(weave_ctx *, uint64_t start, uint64_t end, weave_str path, uint32_t line);
} weave_origin_extension;

#ifdef __cplusplus
}
#endif
#endif
