/* It does not start while the parent process has it. */
#include "sound.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
ON_LOAD static void start(void) {
  char line[4096];
  FILE *maps;
  snprintf(line, sizeof line, "/proc/%d/maps", (int)getppid());
  maps = fopen(line, "r");
  if (maps == NULL) return;
  while (fgets(line, sizeof line, maps) != NULL)
    if (strstr(line, "load_twice_processes.so") != NULL) abort();
  fclose(maps);
}
#include "plugin.h"
