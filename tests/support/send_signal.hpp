// SPDX-License-Identifier: MIT
// Sends a signal to exactly one process of a test: kill() takes -1 for every process of the machine and 0 for the
// caller's process group, and variables for pids have these values when there is no process.
#pragma once

#include <csignal>

#include "ut.hpp"

namespace hawser::testing {

/// An invalid pid fails the test.
inline void send_signal(int pid, int number) {
  expect(fatal(pid > 0)) << "there is no process for signal" << number;
  if (pid > 0) ::kill(pid, number);
}

}  // namespace hawser::testing
