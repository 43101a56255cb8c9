// SPDX-License-Identifier: MIT
// The host's side of its keeper process (ARCHITECTURE.md, "Child processes"), which starts all
// children. One per loop is enough; close it after the last child. It is started with the first child: limits, umask,
// namespaces and priority of children are those that the program had then. A change of user or group is refused.
#pragma once

#include <memory>
#include <string>

#include "child.hpp"
#include "event.hpp"
#include "semaphore.hpp"

namespace hawser {

namespace detail {
struct keeper_process;
}

class keeper {
 public:
  struct options {
    /// Empty: the keeper carried inside the library, or, where the system does not let memory be executed, the one
    /// beside the program or in ../libexec/hawser.
    std::string path{};
  };

  explicit keeper(loop& home);
  keeper(loop& home, options o);
  keeper(const keeper&) = delete;
  keeper& operator=(const keeper&) = delete;
  ~keeper();

  /// Starts the keeper first if it does not run, also when somebody has killed it; one that takes no request for half a
  /// minute is replaced. The error says which step failed and, for a program that was not found, where it was looked
  /// for.
  task<result<child>> spawn(command what);

  /// Waits until the keeper and every tree it still had are gone; starts that are under way are refused. Not shortened
  /// by a stop; bounded; after an error it may be called again.
  task<result<void>> close();

 private:
  using process = std::shared_ptr<detail::keeper_process>;
  class start_under_way;
  task<result<child>> spawn_once(const command& what, process& used);
  result<void> start();

  loop& loop_;
  options options_;
  bool closing_ = false;
  unsigned starting_ = 0;
  event none_starting_;
  semaphore asking_{1};
  process process_;  // shared with the starts that are under way: it may be replaced meanwhile
};

}  // namespace hawser
