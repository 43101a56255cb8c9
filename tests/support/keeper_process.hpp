// SPDX-License-Identifier: MIT
// Finds the keeper of a test's own loop.
#pragma once

#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>

#include "ut.hpp"

namespace hawser::testing {

/// Zombies that are not reaped come first in the list; the keeper is the last process that was started.
inline int pid_of_keeper() {
  std::ifstream children{"/proc/self/task/" + std::to_string(gettid()) + "/children"};
  int last = 0;
  for (int pid = 0; children >> pid;) last = pid;
  expect(boost::ut::fatal(last > 0));
  return last;
}

inline bool is_stopped(int pid) {
  std::ifstream stat{"/proc/" + std::to_string(pid) + "/stat"};
  std::string id;
  std::string name;
  std::string state;
  stat >> id >> name >> state;
  return state == "T";
}

/// Sends SIGSTOP and waits until the process is stopped.
inline void stop_process(int pid) {
  kill(pid, SIGSTOP);
  for (int patience = 5000; patience > 0; --patience) {
    if (is_stopped(pid)) return;
    usleep(1000);
  }
  expect(boost::ut::fatal(false)) << "it does not stop";
}

}  // namespace hawser::testing
