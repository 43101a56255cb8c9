// SPDX-License-Identifier: MIT
// Runs functions concurrently in processes of their own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <vector>

namespace hawser::testing {

/// The number of `what(0)`, `what(1)` … that did not return true.
inline int failures_of(int processes, const std::function<bool(int)>& what) {
  std::vector<int> children;
  for (int number = 0; number < processes; ++number) {
    const int child = fork();
    if (child == 0) _exit(what(number) ? 0 : 1);
    children.push_back(child);
  }
  int failed = 0;
  for (const int child : children) {
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) ++failed;
  }
  return failed;
}

}  // namespace hawser::testing
