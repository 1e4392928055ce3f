/* Writes a file beside itself as soon as it is loaded, before anybody calls it. */
#include "fixture.h"

#include <dlfcn.h>
#include <stdio.h>

__attribute__((constructor)) static void touch(void) {
  Dl_info info;
  char path[4096];
  FILE *file;
  dladdr((void *)(size_t)&touch, &info);
  snprintf(path, sizeof path, "%s.touched", info.dli_fname);
  file = fopen(path, "w");
  if (file) fclose(file);
}

static weave_status bad(void *state, const weave_call *call) { (void)state; return PUT(call, "fine\n"); }

FIXTURE("touches", bad);
WEAVE_MANIFEST("[plugin]\nname = \"touches\"\nversion = \"1.0.0\"\nabi = \"1.0\"\n");
