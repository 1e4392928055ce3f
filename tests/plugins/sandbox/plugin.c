/* Tries, one item each, what a plugin has no business with. The host's tests say where. */
#include "fixture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFINE(name) static weave_status name(void *state, const weave_call *call)

/* A text of the context, as a C string. */
static const char *path(const weave_call *call, const char *key) {
  static char text[4096];
  weave_str name;
  weave_value value;
  name.ptr = key;
  name.len = strlen(key);
  text[0] = 0;
  if (weave_get(call, name, &value) == WEAVE_OK) snprintf(text, sizeof text, "%.*s", (int)value.text.len, value.text.ptr);
  return text;
}
static weave_status outcome(const weave_call *call, long result) {
  return result < 0 ? fail(call, strerror(errno)) : put(call, "done\n");
}
static weave_status reads(const weave_call *call, const char *file) {
  char text[64];
  int fd = open(file, O_RDONLY);
  ssize_t count = fd < 0 ? -1 : read(fd, text, sizeof text);
  if (fd >= 0) close(fd);
  return outcome(call, count);
}

static weave_status opens(const weave_call *call, const char *file, int flags) {
  int fd = open(file, flags, 0600);
  if (fd < 0) return outcome(call, -1);
  close(fd);
  return outcome(call, 0);
}

DEFINE(read_outside) { (void)state; return reads(call, path(call, "paths.outside")); }
DEFINE(read_inside) { (void)state; return reads(call, path(call, "paths.inside")); }
DEFINE(write_inside) { (void)state; return opens(call, path(call, "paths.inside"), O_WRONLY); }
DEFINE(write_written) { (void)state; return opens(call, path(call, "paths.written"), O_WRONLY | O_CREAT); }
DEFINE(write_nothing) { (void)state; return opens(call, "/dev/null", O_RDWR); }
DEFINE(read_names) { (void)state; return reads(call, "/etc/hosts"); }
DEFINE(truncate_outside) { (void)state; return outcome(call, truncate(path(call, "paths.outside"), 3)); }
DEFINE(chmod_outside) { (void)state; return outcome(call, chmod(path(call, "paths.outside"), 0600)); }
DEFINE(remove_outside) { (void)state; return outcome(call, unlink(path(call, "paths.removed"))); }
DEFINE(read_environment) {
  char file[64];
  (void)state;
  snprintf(file, sizeof file, "/proc/%d/environ", (int)getppid());
  return reads(call, file);
}
DEFINE(connect_tcp) {
  struct sockaddr_in to;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  (void)state;
  if (fd < 0) return outcome(call, -1);
  memset(&to, 0, sizeof to);
  to.sin_family = AF_INET;
  to.sin_port = htons((uint16_t)atoi(path(call, "paths.port")));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return outcome(call, connect(fd, (struct sockaddr *)&to, sizeof to));
}
DEFINE(fork_child) {
  pid_t pid = fork();
  (void)state;
  if (pid == 0) _exit(0);
  if (pid > 0) waitpid(pid, 0, 0);
  return outcome(call, pid);
}
DEFINE(kill_child) {
  pid_t pid = fork();
  (void)state;
  if (pid < 0) return outcome(call, -1);
  if (pid == 0) for (;;) sleep(600);
  if (kill(pid, SIGKILL) < 0) return outcome(call, -1);
  return outcome(call, waitpid(pid, 0, 0));
}
DEFINE(start_program) {
  char *const none[] = { 0 };
  (void)state;
  return outcome(call, execve("/bin/true", none, none));
}
/* Signal 0 asks whether it could be sent. */
DEFINE(kill_parent) { (void)state; return outcome(call, kill(getppid(), 0)); }
DEFINE(kill_everybody) { (void)state; return outcome(call, kill(-1, 0)); }
DEFINE(queue_signal) {
  union sigval nothing;
  (void)state;
  nothing.sival_int = 0;
  return outcome(call, sigqueue(getppid(), 0, nothing));
}
/* A limit of no time at all would end the host; its own limit is asked to stay. */
DEFINE(limit_parent) {
  struct rlimit limit;
  (void)state;
  if (syscall(SYS_prlimit64, getppid(), RLIMIT_CPU, 0, &limit) < 0) return outcome(call, -1);
  return outcome(call, syscall(SYS_prlimit64, getppid(), RLIMIT_CPU, &limit, 0));
}
DEFINE(slow_parent) { (void)state; return outcome(call, setpriority(PRIO_PROCESS, (id_t)getppid(), getpriority(PRIO_PROCESS, (id_t)getppid()))); }
DEFINE(own_limits) { struct rlimit limit; (void)state; return outcome(call, getrlimit(RLIMIT_STACK, &limit)); }
DEFINE(trace_parent) {
  long result;
  (void)state;
  result = ptrace(PTRACE_SEIZE, getppid(), 0, 0);
  if (result == 0) ptrace(PTRACE_DETACH, getppid(), 0, 0);
  return outcome(call, result);
}
DEFINE(new_session) { (void)state; return outcome(call, setsid()); }
DEFINE(outlive_parent) { (void)state; return outcome(call, syscall(SYS_prctl, 1 /* PR_SET_PDEATHSIG */, 9)); }
/* Files of the host that it was started with; the socket is the one that it may have. */
DEFINE(foreign_files) {
  char text[64];
  int fd, found = 0;
  (void)state;
  for (fd = 3; fd < 1024; fd++) {
    struct stat facts;
    if (fstat(fd, &facts) == 0 && !S_ISSOCK(facts.st_mode)) found++;
  }
  if (found == 0) { errno = EACCES; return outcome(call, -1); }
  snprintf(text, sizeof text, "%d of them\n", found);
  return put(call, text);
}

static const weave_str deps[] = { WEAVE_STR("paths") };
#define TRY(name) \
  { .struct_size = sizeof(weave_item), .kind = WEAVE_KIND_COMPONENT, .id = WEAVE_STR(#name), .deps = deps, .deps_count = 1, \
    .cache_class = WEAVE_CACHE_VOLATILE, .cache_reason = WEAVE_STR("a test"), .call = name }

static const weave_item items[] = {
  TRY(read_outside), TRY(read_inside), TRY(write_inside), TRY(write_written), TRY(write_nothing), TRY(read_names), TRY(truncate_outside), TRY(chmod_outside),
  TRY(remove_outside), TRY(read_environment), TRY(connect_tcp), TRY(fork_child), TRY(kill_child), TRY(kill_parent), TRY(kill_everybody),
  TRY(queue_signal), TRY(limit_parent), TRY(slow_parent), TRY(own_limits), TRY(trace_parent), TRY(new_session),
  TRY(outlive_parent), TRY(foreign_files), TRY(start_program),
};
TABLE("sandbox", items, .flags = 0);
