// SPDX-License-Identifier: MIT
// Handles SIGINT, SIGTERM and SIGHUP: the first signal stops the command, which then shuts down in order; the second
// one ends the program at once, and the keeper ends the servers.
#pragma once

#include <stop_token>

#include "../../runtime/async/task.hpp"
#include "../../runtime/loop/signal_set.hpp"

namespace hawser::cli {

/// The next signal, as a task.
inline task<result<int>> next_signal(signal_set& signals) { co_return co_await signals.next(); }

class interrupt_handler {
 public:
  /// Requests a stop at the first signal.
  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }
  /// That signal; 0 if there was none.
  [[nodiscard]] int signal() const noexcept { return signal_; }
  /// 128 + signal number, as in shells.
  [[nodiscard]] int exit_code() const noexcept { return 128 + signal_; }

  /// Runs until it is stopped.
  task<void> listen(signal_set& signals);

 private:
  std::stop_source stop_;
  int signal_ = 0;
};

}  // namespace hawser::cli
