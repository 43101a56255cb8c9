// SPDX-License-Identifier: MIT
#include "tree.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace hawser {

bool for_each_child(void (*visit)(pid_t, void*), void* argument) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", static_cast<int>(getpid()));
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[4096];
  pid_t pid = 0;
  ssize_t size = 0;
  while ((size = read(file, text, sizeof text)) > 0) {  // a number may be split between two reads: keep accumulating
    for (ssize_t i = 0; i < size; ++i) {
      if (text[i] >= '0' && text[i] <= '9') {
        pid = pid * 10 + (text[i] - '0');
      } else if (pid > 0) {
        visit(pid, argument);
        pid = 0;
      }
    }
  }
  if (pid > 0) visit(pid, argument);
  close(file);
  return true;
}

bool has_ended(pid_t pid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[1024] = {};
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  const char* rest = length > 0 ? strrchr(text, ')') : nullptr;  // the name may contain any character
  if (rest == nullptr || strncmp(rest, ") Z", 3) != 0) return false;
  // A process whose main thread has ended looks the same while its other threads still run. The thread count is the
  // eighteenth field after the name.
  for (int word = 0; word < 18 && rest != nullptr; ++word) rest = strchr(rest + 1, ' ');
  return rest == nullptr || atoi(rest) <= 1;
}

void process_name(pid_t pid, char* name, unsigned size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/comm", static_cast<int>(pid));
  memset(name, 0, size);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t length = read(file, name, size - 1);
  name[length > 0 ? length - 1 : 0] = '\0';  // without the newline
  close(file);
}

}  // namespace hawser
