// SPDX-License-Identifier: MIT
// A signal for one process of a test, and for no other: kill() takes -1 for every process of the machine and 0 for the
// group of whoever calls, which are what variables of pids hold when there is no process.
#pragma once

#include <csignal>

#include "ut.hpp"

namespace hawser::testing {

/// A pid that is none ends the test.
inline void send_signal(int pid, int number) {
  expect(fatal(pid > 0)) << "there is no process for signal" << number;
  if (pid > 0) ::kill(pid, number);
}

}  // namespace hawser::testing
