// SPDX-License-Identifier: MIT
// The host's interface to its keeper process, which starts all children (ARCHITECTURE.md, "Child processes"). One per
// loop is enough; close it after the last child. The keeper starts with the first child, so children get the limits,
// umask, namespaces and priority that the program had at that time. Spawning after a uid or gid change is refused.
#pragma once

#include <memory>
#include <string>

#include "../async/event.hpp"
#include "../async/semaphore.hpp"
#include "child.hpp"

namespace hawser {

namespace detail {
struct keeper_process;
}

class keeper {
 public:
  struct options {
    /// Empty: the keeper embedded in the library. If the system does not allow executing memory files, the one beside
    /// the program or in ../libexec/hawser.
    std::string path{};
  };

  explicit keeper(loop& event_loop);
  keeper(loop& event_loop, options o);
  keeper(const keeper&) = delete;
  keeper& operator=(const keeper&) = delete;
  ~keeper();

  /// Starts the keeper first if it does not run, even if it was killed. A keeper that accepts no request for 30 s is
  /// killed and replaced. The error names the step that failed and, for a program that was not found, the PATH that was
  /// searched.
  task<result<child>> spawn(command what);

  /// Waits until the keeper and every remaining process tree have ended; pending spawns are refused. A stop does not
  /// shorten it. Bounded; after an error it may be called again.
  task<result<void>> close();

 private:
  using process = std::shared_ptr<detail::keeper_process>;
  class pending_spawn;
  task<result<child>> spawn_once(const command& what, process& used);
  result<void> start();

  loop& loop_;
  options options_;
  bool closing_ = false;
  unsigned pending_spawns_ = 0;
  event no_pending_spawns_;
  semaphore request_permit_{1};
  process process_;  // shared with pending spawns, because it may be replaced meanwhile
};

}  // namespace hawser
