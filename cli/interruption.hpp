// SPDX-License-Identifier: MIT
// Ctrl-C and its like: the first one stops what is under way, and everything ends in order; the second one ends the
// program at once, and its keeper ends the servers.
#pragma once

#include <stop_token>

#include "../runtime/signals.hpp"
#include "../runtime/task.hpp"

namespace hawser::cli {

/// The next signal, for what takes a task.
inline task<result<int>> next_signal(signal_set& signals) { co_return co_await signals.next(); }

class interruption {
 public:
  /// Fires at the first signal.
  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }
  /// Which signal that was; 0 if there was none.
  [[nodiscard]] int signal() const noexcept { return signal_; }
  /// As shells count.
  [[nodiscard]] int exit_code() const noexcept { return 128 + signal_; }

  /// Until it is stopped itself.
  task<void> listen(signal_set& signals);

 private:
  std::stop_source stop_;
  int signal_ = 0;
};

}  // namespace hawser::cli
