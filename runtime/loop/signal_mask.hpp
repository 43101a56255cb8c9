// SPDX-License-Identifier: MIT
// A thread's signal mask. Used to give threads that run the embedding program's functions the program's mask instead of
// the mask of the loop thread, which blocks SIGPIPE and SIGXFSZ.
#pragma once

#include <csignal>

namespace hawser {

class signal_mask {
 public:
  /// Copies the mask of the calling thread.
  signal_mask() noexcept;
  /// Sets the mask of the calling thread.
  void apply() const noexcept;

 private:
  sigset_t blocked_{};
};

}  // namespace hawser
