/*
 * A preloaded library that numbers the calls which a program makes on files below one folder, and
 * breaks one of them. Built and used by test/injector/injected-command.ts.
 *
 *   FAULT_ROOT     the folder; calls on other files pass untouched and uncounted
 *   FAULT_SCRIPT   the second word of the command line of a process that takes part: its script
 *   FAULT_COUNTER  a file of 8 bytes that all of those processes count in
 *   FAULT_LOG      a file that gets a line for each call: number, operation, path below the root
 *   FAULT_AT       the number of the call to break; without it nothing is broken
 *   FAULT_ACTION   kill-before, kill-after, tear, tear-last, shorten, EIO, EINTR or ENOSPC
 *
 * Each wrapper asks `arrive` for what to do at this call, does it, and calls the function of the C
 * library. Node makes some calls by `syscall`, so this is wrapped too.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum act { PASS, KILL_BEFORE, KILL_AFTER, TEAR, TEAR_LAST, SHORTEN, FAIL };

static char root[PATH_MAX];
static size_t root_length;
static _Atomic long *counter;
static int log_file = -1;
static long broken_call = -1;
static enum act broken_act = PASS;
static int broken_errno;

#define FILES_MAX 65536
/* The path of each open file below the root, without the root. */
static char *_Atomic open_paths[FILES_MAX];

#define REAL(name) ((__typeof__(&name))real_##name())
#define FIND(name)                                                                                 \
  static void *real_##name(void) {                                                                 \
    static void *_Atomic found;                                                                    \
    if (!found) found = dlsym(RTLD_NEXT, #name);                                                   \
    return found;                                                                                  \
  }

FIND(open)
FIND(write)
FIND(syscall)

static void read_action(const char *text) {
  static const struct { const char *name; enum act act; int number; } all[] = {
      {"kill-before", KILL_BEFORE, 0}, {"kill-after", KILL_AFTER, 0}, {"tear", TEAR, 0},
      {"tear-last", TEAR_LAST, 0},     {"shorten", SHORTEN, 0},       {"EIO", FAIL, EIO},
      {"EINTR", FAIL, EINTR},          {"ENOSPC", FAIL, ENOSPC},
  };
  for (size_t at = 0; at < sizeof all / sizeof *all; at++) {
    if (strcmp(all[at].name, text) != 0) continue;
    broken_act = all[at].act;
    broken_errno = all[at].number;
    return;
  }
  abort();
}

__attribute__((constructor)) static void begin(int argc, char **argv) {
  const char *folder = getenv("FAULT_ROOT"), *script = getenv("FAULT_SCRIPT");
  const char *count = getenv("FAULT_COUNTER"), *log = getenv("FAULT_LOG");
  const char *at = getenv("FAULT_AT"), *action = getenv("FAULT_ACTION");
  if (!folder || !script || !count || !log || argc < 2 || strcmp(argv[1], script) != 0) return;
  int file = REAL(open)(count, O_RDWR | O_CLOEXEC);
  if (file < 0) abort();
  counter = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (counter == MAP_FAILED) abort();
  close(file);
  log_file = REAL(open)(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (log_file < 0) abort();
  if (at && action) {
    broken_call = atol(at);
    read_action(action);
  }
  /* Set last: from here on calls are counted. */
  strncpy(root, folder, sizeof root - 1);
  root_length = strlen(root);
}

/* The path below the root; NULL if it lies elsewhere. Copied into `whole` if it is relative. */
static const char *below(const char *path, char *whole) {
  if (!root_length || !path) return NULL;
  if (path[0] != '/') {
    if (!getcwd(whole, PATH_MAX)) return NULL;
    size_t length = strlen(whole);
    if (length + strlen(path) + 2 > PATH_MAX) return NULL;
    whole[length] = '/';
    strcpy(whole + length + 1, path);
    path = whole;
  }
  if (strncmp(path, root, root_length) != 0) return NULL;
  return path[root_length] == '/' ? path + root_length + 1 : path[root_length] ? NULL : ".";
}

static const char *path_of(int file) {
  return root_length && file >= 0 && file < FILES_MAX ? open_paths[file] : NULL;
}

static void forget(int file) {
  if (file < 0 || file >= FILES_MAX) return;
  free(atomic_exchange(&open_paths[file], NULL));
}

static int remember(int file, const char *path) {
  if (file < 0 || file >= FILES_MAX || !path) return file;
  forget(file);
  open_paths[file] = strdup(path);
  return file;
}

/* Counts a call below the root, and answers what becomes of it. */
static enum act arrive(const char *operation, const char *path) {
  if (!path) return PASS;
  int before = errno;
  long call = atomic_fetch_add(counter, 1) + 1;
  enum act act = call == broken_call ? broken_act : PASS;
  char line[PATH_MAX + 100];
  int length = snprintf(line, sizeof line, "%ld\t%s\t%s%s\n", call, operation, path,
                        act == PASS ? "" : "\tbroken");
  if (REAL(write)(log_file, line, length) != length) abort();
  if (act == KILL_BEFORE) kill(getpid(), SIGKILL);
  errno = act == FAIL ? broken_errno : before;
  return act;
}

/* Called after a call that was to be killed after it. */
static void leave(enum act act) {
  if (act == KILL_AFTER || act == TEAR || act == TEAR_LAST) kill(getpid(), SIGKILL);
}

/* The bytes that a broken call is given. */
static size_t part(enum act act, size_t all) {
  if (act == TEAR || act == SHORTEN) return all < 2 ? all : all / 2;
  return act == TEAR_LAST && all > 0 ? all - 1 : all;
}

#define CALL(type, name, operation, path, parameters, arguments)                                   \
  FIND(name)                                                                                       \
  type name parameters {                                                                           \
    char whole[PATH_MAX];                                                                          \
    (void)whole;                                                                                   \
    enum act act = arrive(operation, path);                                                        \
    if (act == FAIL) return -1;                                                                    \
    type result = REAL(name) arguments;                                                            \
    leave(act);                                                                                    \
    return result;                                                                                 \
  }

#define BELOW(path) below(path, whole)

static const char *opening(int flags) { return flags & (O_CREAT | O_TRUNC) ? "create" : "open"; }

static mode_t mode_in(int flags, va_list rest) {
  return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

#define OPEN(name, parameters, path, ...)                                                          \
  int name parameters {                                                                            \
    va_list rest;                                                                                  \
    va_start(rest, flags);                                                                         \
    mode_t mode = mode_in(flags, rest);                                                            \
    va_end(rest);                                                                                  \
    char whole[PATH_MAX];                                                                          \
    const char *inside = path;                                                                     \
    enum act act = arrive(opening(flags), inside);                                                 \
    if (act == FAIL) return -1;                                                                    \
    int file = remember(REAL(name)(__VA_ARGS__, flags, mode), inside);                             \
    leave(act);                                                                                    \
    return file;                                                                                   \
  }

FIND(open64)
FIND(openat)
FIND(openat64)
OPEN(open, (const char *path, int flags, ...), BELOW(path), path)
OPEN(open64, (const char *path, int flags, ...), BELOW(path), path)

/* A path relative to an open folder counts as one in the working folder: Node has no such call. */
OPEN(openat, (int folder, const char *path, int flags, ...), BELOW(path), folder, path)
OPEN(openat64, (int folder, const char *path, int flags, ...), BELOW(path), folder, path)

/* A file whose close fails is closed. */
static int shut(int file) {
  enum act act = arrive("close", path_of(file));
  int failure = errno;
  forget(file);
  int result = REAL(syscall)(SYS_close, file);
  leave(act);
  if (act != FAIL) return result;
  errno = failure;
  return -1;
}

int close(int file) { return shut(file); }

#define TRANSFER(name, operation, buffer, parameters, ...)                                         \
  ssize_t name parameters {                                                                        \
    enum act act = arrive(operation, path_of(file));                                               \
    if (act == FAIL) return -1;                                                                    \
    length = part(act, length);                                                                    \
    ssize_t result = REAL(name)(__VA_ARGS__);                                                      \
    leave(act);                                                                                    \
    return result;                                                                                 \
  }

FIND(read)
FIND(pread)
FIND(pread64)
FIND(pwrite)
FIND(pwrite64)
TRANSFER(read, "read", , (int file, void *bytes, size_t length), file, bytes, length)
TRANSFER(pread, "read", , (int file, void *bytes, size_t length, off_t at), file, bytes, length, at)
TRANSFER(pread64, "read", , (int file, void *bytes, size_t length, off64_t at), file, bytes, length,
         at)
TRANSFER(write, "write", , (int file, const void *bytes, size_t length), file, bytes, length)
TRANSFER(pwrite, "write", , (int file, const void *bytes, size_t length, off_t at), file, bytes,
         length, at)
TRANSFER(pwrite64, "write", , (int file, const void *bytes, size_t length, off64_t at), file, bytes,
         length, at)

CALL(int, fsync, "sync", path_of(file), (int file), (file))
CALL(int, fdatasync, "sync", path_of(file), (int file), (file))
CALL(int, ftruncate, "truncate", path_of(file), (int file, off_t size), (file, size))
CALL(int, ftruncate64, "truncate", path_of(file), (int file, off64_t size), (file, size))
CALL(int, rename, "rename", BELOW(to), (const char *from, const char *to), (from, to))
CALL(int, link, "link", BELOW(to), (const char *from, const char *to), (from, to))
CALL(int, symlink, "symlink", BELOW(to), (const char *from, const char *to), (from, to))
CALL(int, unlink, "remove", BELOW(path), (const char *path), (path))
CALL(int, rmdir, "remove", BELOW(path), (const char *path), (path))
CALL(int, mkdir, "mkdir", BELOW(path), (const char *path, mode_t mode), (path, mode))
CALL(int, chmod, "chmod", BELOW(path), (const char *path, mode_t mode), (path, mode))
CALL(int, fchmod, "chmod", path_of(file), (int file, mode_t mode), (file, mode))
CALL(int, futimens, "times", path_of(file), (int file, const struct timespec times[2]),
     (file, times))
CALL(int, access, "stat", BELOW(path), (const char *path, int mode), (path, mode))
CALL(int, flock, "lock", path_of(file), (int file, int operation), (file, operation))
CALL(ssize_t, readlink, "stat", BELOW(path), (const char *path, char *target, size_t size),
     (path, target, size))
CALL(int, scandir64, "list", BELOW(path),
     (const char *path, struct dirent64 ***names, int (*filter)(const struct dirent64 *),
      int (*compare)(const struct dirent64 **, const struct dirent64 **)),
     (path, names, filter, compare))

FIND(opendir)
DIR *opendir(const char *path) {
  char whole[PATH_MAX];
  enum act act = arrive("list", BELOW(path));
  if (act == FAIL) return NULL;
  DIR *folder = REAL(opendir)(path);
  leave(act);
  return folder;
}

FIND(realpath)
char *realpath(const char *path, char *resolved) {
  char whole[PATH_MAX];
  enum act act = arrive("stat", BELOW(path));
  if (act == FAIL) return NULL;
  char *result = REAL(realpath)(path, resolved);
  leave(act);
  return result;
}

/* Locks of an open file go through it; other commands pass. */
static int control(int file, int command, void *argument, int (*real)(int, int, ...)) {
  int is_lock = command == F_OFD_SETLK || command == F_SETLK;
  enum act act = is_lock ? arrive("lock", path_of(file)) : PASS;
  if (act == FAIL) return -1;
  int result = real(file, command, argument);
  leave(act);
  return result;
}

FIND(fcntl)
FIND(fcntl64)
int fcntl(int file, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return control(file, command, argument, REAL(fcntl));
}
int fcntl64(int file, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return control(file, command, argument, REAL(fcntl64));
}

/* Node closes a file, copies one and asks for the state of one by number. */
long syscall(long number, ...) {
  va_list rest;
  va_start(rest, number);
  long given[6];
  for (int at = 0; at < 6; at++) given[at] = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_close) return shut((int)given[0]);
  char whole[PATH_MAX];
  enum act act = PASS;
#ifdef SYS_statx
  if (number == SYS_statx) {
    const char *path = (const char *)given[1];
    const char *inside = path && *path ? BELOW(path) : path_of((int)given[0]);
    act = arrive("stat", inside);
  }
#endif
#ifdef SYS_copy_file_range
  if (number == SYS_copy_file_range) act = arrive("write", path_of((int)given[2]));
#endif
  if (act == FAIL) return -1;
  long result = REAL(syscall)(number, given[0], given[1], given[2], given[3], given[4], given[5]);
  leave(act);
  return result;
}
