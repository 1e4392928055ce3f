/* The thread of its first state runs on. */
#include "sound.h"
#include <pthread.h>
#include <unistd.h>
static void *idle(void *unused) {
  for (;;) pause();
  return unused;
}
static weave_status init(const weave_call *call, void **state) {
  static int started;
  pthread_t thread;
  (void)call;
  if (!started++ && pthread_create(&thread, NULL, idle, NULL) == 0) pthread_detach(thread);
  *state = &started;
  return WEAVE_OK;
}
static void deinit(void *state) { (void)state; }
#define INIT init
#define DEINIT deinit
#include "plugin.h"
