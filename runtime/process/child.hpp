// SPDX-License-Identifier: MIT
// A running child process with its pipes and its process tree. `keeper::spawn` creates it. `shutdown` must have ended
// it before the object is destroyed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../io/stream.hpp"
#include "command.hpp"

namespace hawser {

struct exit_status {
  int code = 0;    ///< exit code …
  int signal = 0;  ///< … or the signal that terminated it

  [[nodiscard]] std::string to_string() const;  ///< "exited with 1", "ended by signal 9 (Killed)"
  friend bool operator==(const exit_status&, const exit_status&) = default;
};

/// The timeouts of the shutdown steps. Zero skips the wait, not the step.
struct shutdown_timeouts {
  duration after_stdin = std::chrono::seconds{2};
  duration after_sigterm = std::chrono::seconds{2};
  duration after_sigkill = std::chrono::seconds{1};
};

namespace detail {
struct child_core;
struct child_deleter {
  void operator()(child_core* core) const noexcept;
};
}  // namespace detail

class child {
 public:
  /// The host's ends. They exist only if the corresponding stdio is a pipe or a socket.
  [[nodiscard]] stream& input() noexcept;
  [[nodiscard]] stream& output() noexcept;
  [[nodiscard]] stream& errors() noexcept;

  [[nodiscard]] int pid() const noexcept;

  /// Waits until the process itself has exited; processes that it started may still run. Unbounded.
  task<result<exit_status>> exited();

  /// Closes stdin, then sends SIGTERM to the whole process tree, then SIGKILL; returns when no process of the tree is
  /// left. A stop does not shorten it; the timeouts bound it. Idempotent. The error names the processes that could not
  /// be killed.
  task<result<exit_status>> shutdown(shutdown_timeouts ladder = {});

  /// Processes outside the process group that shutdown() killed: "name (pid)".
  [[nodiscard]] const std::vector<std::string>& strays() const noexcept;

 private:
  friend class keeper;
  explicit child(detail::child_core* core) noexcept : core_(core) {}
  std::unique_ptr<detail::child_core, detail::child_deleter> core_;
};

}  // namespace hawser
