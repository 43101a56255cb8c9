// SPDX-License-Identifier: MIT
// A process that may outlive this program, such as a browser: it is started and reaped, but never killed. Processes
// that must end with this program are `child`ren, which the keeper starts.
#pragma once

#include <memory>

#include "child.hpp"

namespace hawser {

namespace detail {
struct detached_process_core;
}

class detached_process {
 public:
  /// Runs in its own session, with /dev/null as its stdio, whatever the command says, and no other descriptors.
  /// errc::spawn says why it could not be started. A program without a slash is searched in PATH of its environment.
  static result<detached_process> start(loop& event_loop, const command& what);

  detached_process(detached_process&&) noexcept;
  detached_process& operator=(detached_process&&) noexcept;
  /// The process keeps running. It is reaped only while this object lives; otherwise it may become a zombie.
  ~detached_process();

  /// Waits until the process has exited, possibly forever. errc::closed if the embedding program has reaped it first,
  /// so that its exit status is unknown. Unbounded.
  task<result<exit_status>> exited();
  [[nodiscard]] bool running() const noexcept;
  [[nodiscard]] int pid() const noexcept;

 private:
  explicit detached_process(std::unique_ptr<detail::detached_process_core> core) noexcept;
  std::unique_ptr<detail::detached_process_core> core_;
};

}  // namespace hawser
