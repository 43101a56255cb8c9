// SPDX-License-Identifier: MIT
// A process that may outlive this program, such as a browser: it is started and reaped, but never killed. Processes
// that must end with this program are `child`ren, which the keeper starts.
#pragma once

#include <memory>

#include "child.hpp"

namespace hawser {

namespace detail {
struct launched_core;
}

class launched {
 public:
  /// Runs in its own session, with /dev/null as its stdio, whatever the command says, and no other descriptors.
  /// errc::spawn says why it could not be started. A program without a slash is searched in PATH of its environment.
  static result<launched> start(loop& home, const command& what);

  launched(launched&&) noexcept;
  launched& operator=(launched&&) noexcept;
  /// The process keeps running. It is reaped only while this object lives; otherwise it may become a zombie.
  ~launched();

  /// Waits until the process has exited, possibly forever. errc::closed if the embedding program has reaped it first,
  /// so that its exit status is unknown. Unbounded.
  task<result<exit_status>> exited();
  [[nodiscard]] bool running() const noexcept;
  [[nodiscard]] int pid() const noexcept;

 private:
  explicit launched(std::unique_ptr<detail::launched_core> core) noexcept;
  std::unique_ptr<detail::launched_core> core_;
};

}  // namespace hawser
