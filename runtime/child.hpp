// SPDX-License-Identifier: MIT
// A running child process with its pipes and the tree below it. `keeper::spawn` makes one; `shutdown` ends it, and
// must have ended it before the object dies.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "stream.hpp"

namespace hawser {

struct exit_status {
  int code = 0;    ///< what it exited with …
  int signal = 0;  ///< … or which signal ended it

  [[nodiscard]] std::string to_string() const;  ///< "exited with 1", "ended by signal 9 (Killed)"
  friend bool operator==(const exit_status&, const exit_status&) = default;
};

/// How long each step of a stop may take before the next one. A zero skips the waiting, not the step.
struct stop_ladder {
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
  /// The host's ends; only those whose stdio is a pipe or a socket exist.
  [[nodiscard]] stream& input() noexcept;
  [[nodiscard]] stream& output() noexcept;
  [[nodiscard]] stream& errors() noexcept;

  [[nodiscard]] int pid() const noexcept;

  /// Waits until the process itself has ended; processes that it started may live on. Unbounded.
  task<result<exit_status>> exited();

  /// Closes stdin, then SIGTERM to the whole tree, then SIGKILL to the whole tree; returns when nobody of the tree is
  /// left. A stop does not shorten it: the ladder is its bound. Idempotent. The error names who could not be killed.
  task<result<exit_status>> shutdown(stop_ladder ladder = {});

  /// Processes that had left the group and were killed by shutdown(): "name (pid)".
  [[nodiscard]] const std::vector<std::string>& strays() const noexcept;

 private:
  friend class keeper;
  explicit child(detail::child_core* core) noexcept : core_(core) {}
  std::unique_ptr<detail::child_core, detail::child_deleter> core_;
};

}  // namespace hawser
