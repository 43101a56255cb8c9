// SPDX-License-Identifier: MIT
// Runs a task on a new loop. The runner's watchdog bounds it.
#pragma once

#include <utility>

#include "../../runtime/loop/loop.hpp"

namespace hawser::testing {

/// `run(f())`: a new loop, the task, and the loop's own checks on destruction.
template <class T>
T run(task<T> main) {
  loop l;
  return l.run(std::move(main));
}

/// The same with another clock.
template <class T>
T run(clock& by, task<T> main) {
  loop l{loop::options{.clock = &by}};
  return l.run(std::move(main));
}

}  // namespace hawser::testing
