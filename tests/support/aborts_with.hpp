// SPDX-License-Identifier: MIT
// Tests checks that abort the process, by running them in a forked process.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

namespace hawser::testing {

/// Whether `body`, run in a forked process, aborts with the sentence on its stderr.
inline bool aborts_with(std::string_view sentence, const std::function<void()>& body) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return false;
  const pid_t pid = fork();
  if (pid == 0) {
    const rlimit no_core{};
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(pipe_ends[1], STDERR_FILENO);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    body();
    _exit(0);
  }
  close(pipe_ends[1]);
  std::string said;
  char piece[512];
  for (ssize_t n = 0; (n = read(pipe_ends[0], piece, sizeof piece)) > 0;)
    said.append(piece, static_cast<std::size_t>(n));
  close(pipe_ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFSIGNALED(status) && said.find(sentence) != std::string::npos;
}

}  // namespace hawser::testing
