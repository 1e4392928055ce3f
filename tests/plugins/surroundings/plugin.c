/* Tells what surrounds it: variables, folder, open files, limits. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static weave_status bad(void *state, const weave_call *call) {
  char line[4200], folder[4096];
  struct rlimit memory, files, core;
  struct stat in, out;
  char **entry;
  (void)state;
  for (entry = environ; *entry; entry++) {
    snprintf(line, sizeof line, "variable %.*s\n", (int)strcspn(*entry, "="), *entry);
    put(call, line);
  }
  snprintf(line, sizeof line, "folder %s\n", getcwd(folder, sizeof folder) ? folder : "?");
  put(call, line);
  getrlimit(RLIMIT_AS, &memory);
  getrlimit(RLIMIT_NOFILE, &files);
  getrlimit(RLIMIT_CORE, &core);
  snprintf(line, sizeof line, "memory %lu, files %lu, core %lu\n", (unsigned long)memory.rlim_max, (unsigned long)files.rlim_max,
    (unsigned long)core.rlim_max);
  put(call, line);
  snprintf(line, sizeof line, "input and output are devices: %d\n",
    fstat(0, &in) == 0 && fstat(1, &out) == 0 && S_ISCHR(in.st_mode) && S_ISCHR(out.st_mode));
  put(call, line);
  snprintf(line, sizeof line, "leads its group: %d\n", getpgrp() == getpid());
  return put(call, line);
}

FIXTURE("surroundings", bad);
