// SPDX-License-Identifier: MIT
// Running a task on a fresh loop, as most tests do. The runner's watchdog bounds it.
#pragma once

#include <utility>

#include "../../runtime/loop.hpp"

namespace hawser::testing {

/// `run(f())`: a new loop, the task, and the loop's own checks when it dies.
template <class T>
T run(task<T> main) {
  loop l;
  return l.run(std::move(main));
}

/// The same by another clock.
template <class T>
T run(clock& by, task<T> main) {
  loop l{loop::options{.clock = &by}};
  return l.run(std::move(main));
}

}  // namespace hawser::testing
