// SPDX-License-Identifier: MIT
// Which signals a thread blocks, to give a thread that runs the embedding program's functions the mask of the program
// instead of that of the loop thread, which blocks the signals of failed writes.
#pragma once

#include <csignal>

namespace hawser {

class signal_mask {
 public:
  /// That of the calling thread.
  signal_mask() noexcept;
  /// Makes it that of the calling thread.
  void apply() const noexcept;

 private:
  sigset_t blocked_{};
};

}  // namespace hawser
