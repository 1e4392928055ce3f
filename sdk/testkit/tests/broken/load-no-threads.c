/* It starts a thread while it is loaded. */
#include "sound.h"
#include <pthread.h>
#include <unistd.h>
static void *idle(void *unused) {
  for (;;) pause();
  return unused;
}
ON_LOAD static void start(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, idle, NULL) == 0) pthread_detach(thread);
}
#include "plugin.h"
