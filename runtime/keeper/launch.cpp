// SPDX-License-Identifier: MIT
// Starts the program of a request. Until exec, the new process shares the warden's memory (as with vfork), which is how
// its errno is returned. It runs on a separate stack, so it cannot corrupt the warden's.
#include "launch.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace hawser {

namespace {

using keeper_protocol::start_step;

struct program {
  const char* directory;
  char** arguments;
  char** environment;
  const int* standard;
  pid_t parent;
  char* path;  // space for the longest path of the PATH search
  launch_result outcome;
};

constexpr char default_path[] = "/usr/local/bin:/usr/bin:/bin";

const char* variable(char* const* environment, const char* name) {
  const size_t length = strlen(name);
  for (; *environment != nullptr; ++environment) {
    if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') return *environment + length + 1;
  }
  return nullptr;
}

// The last three occur for a folder on a file server that does not answer.
bool is_not_there(int number) {
  return number == ENOENT || number == ENOTDIR || number == ESTALE || number == ENODEV || number == ETIMEDOUT;
}

bool is_directory(const char* path) {
  struct stat found{};
  return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

// Returns only on failure. The error is more precise than that of execve in two cases: EISDIR for a directory, and
// start_step::interpreter if execve returns ENOENT for a file that exists.
int try_to_execute(program& p, const char* path) {
  execve(path, p.arguments, p.environment);
  const int failed = errno;
  if (failed == EACCES && is_directory(path)) return EISDIR;
  if (failed == ENOENT && access(path, F_OK) == 0) p.outcome.step = start_step::interpreter;
  return failed;
}

// Like execvpe, but uses PATH of the new environment and never runs a file of unknown format with a shell.
int execute(program& p) {
  const char* name = p.arguments[0];
  if (strchr(name, '/') != nullptr) return try_to_execute(p, name);
  const char* search = variable(p.environment, "PATH");
  if (search == nullptr) search = default_path;
  int worst = ENOENT;
  while (true) {
    const size_t length = strcspn(search, ":");
    if (length > 0) {  // an empty element would mean the working directory; programs are not expected there
      memcpy(p.path, search, length);
      p.path[length] = '/';
      memcpy(p.path + length + 1, name, strlen(name) + 1);
      const int failed = try_to_execute(p, p.path);
      // If a file is missing, continue the search. A file that exists but cannot run is a better error than "not
      // found".
      if (failed == EACCES) {
        worst = EACCES;
      } else if (p.outcome.step == start_step::interpreter || (!is_not_there(failed) && failed != EISDIR)) {
        return failed;
      }
    }
    if (search[length] == '\0') return worst;
    search += length + 1;
  }
}

int run_child(void* argument) {
  program& p = *static_cast<program*>(argument);
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // in case the warden is killed
  if (getppid() != p.parent) _exit(127);
  for (int fd = 0; fd < 3; ++fd) dup2(p.standard[fd], fd);
  syscall(SYS_close_range, 3U, ~0U, 0U);
  sigset_t none{};
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  p.outcome.step = start_step::directory;
  if (*p.directory != '\0' && chdir(p.directory) != 0) {
    p.outcome.error = errno;
    _exit(127);
  }
  p.outcome.step = start_step::execute;
  p.outcome.error = execute(p);
  _exit(127);
}

}  // namespace

launch_result launch(const keeper_protocol::start_request& request, int payload, const int (&standard)[3]) {
  // Maps the payload, and a scratch area for the stack of the new process, the pointer lists and the longest path of
  // the search.
  launch_result failed;
  failed.error = ENOMEM;
  void* const mapped = mmap(nullptr, request.payload_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, payload, 0);
  const size_t list_size = (request.argument_count + request.environment_count + 2) * sizeof(char*);
  constexpr size_t stack_size = size_t{64} * 1024;
  const size_t scratch_size = stack_size + list_size + request.payload_size + sizeof default_path + 2;
  void* const scratch = mmap(nullptr, scratch_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED || scratch == MAP_FAILED) return failed;
  char* const stack = static_cast<char*>(scratch);
  char** const list = reinterpret_cast<char**>(stack + stack_size);
  char* const path = stack + stack_size + list_size;

  char* text = static_cast<char*>(mapped);
  program p{text, list, list + request.argument_count + 1, standard, getpid(), path, {}};
  text += strlen(text) + 1;
  for (uint32_t i = 0; i < request.argument_count; ++i, text += strlen(text) + 1) p.arguments[i] = text;
  for (uint32_t i = 0; i < request.environment_count; ++i, text += strlen(text) + 1) p.environment[i] = text;

  p.outcome.pid = clone(&run_child, stack + stack_size, CLONE_VM | CLONE_VFORK | SIGCHLD, &p);
  if (p.outcome.pid < 0) p.outcome.error = errno;
  munmap(scratch, scratch_size);
  munmap(mapped, request.payload_size);
  return p.outcome;
}

}  // namespace hawser
