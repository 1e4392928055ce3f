/* It calls the host from a thread of its own. */
#include "sound.h"
#include <pthread.h>
static void *ask(void *call) {
  weave_value cwd;
  weave_get(call, sound_deps[0], &cwd);
  return NULL;
}
static weave_status broken(void *state, const weave_call *call) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, ask, (void *)call) == 0) pthread_join(thread, NULL);
  return sound(state, call);
}
#define CALL broken
#include "plugin.h"
