// SPDX-License-Identifier: MIT
// Starting the keeper program itself and seeing it end. For the sources of runtime/ only.
#pragma once

#include <string>

#include "../error.hpp"
#include "../task.hpp"
#include "unique_fd.hpp"

namespace hawser::detail {

struct keeper_process {
  unique_fd socket;   // requests go here; closing it ends the keeper
  unique_fd process;  // a pidfd

  /// Takes a fraction of a millisecond on the loop thread, once per host.
  static result<keeper_process> start(const std::string& path);

  /// Waits for the keeper's end without reaping it: an embedder that waits for any child may be faster.
  task<result<void>> exited();
  /// Takes the exit status of exactly this process, if nobody else has.
  void reap() noexcept;
};

}  // namespace hawser::detail
