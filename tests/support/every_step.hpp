// SPDX-License-Identifier: MIT
// Brute force against wrong coroutines: run a task to its end and count the loop's steps; then, for every k, run it
// again and stop it after k steps. Each time it must end, leave nothing alive and let the loop close.
#pragma once

#include <functional>
#include <string>

#include "../../runtime/loop.hpp"
#include "counted.hpp"
#include "ut.hpp"

namespace hawser::testing {

struct every_step_options {
  hawser::clock* clock = nullptr;
  /// Tasks that wait for the outside world take a different number of steps each time; so many more are tried.
  int beyond = 3;
};

/// `make(loop)` gives the task anew. A loop that does not close clean ends the program, so getting back here is half
/// of the proof. Returns how many steps the undisturbed run took.
inline int every_step(const std::function<task<void>(loop&)>& make, every_step_options options = {}) {
  const auto run_stopping_at = [&](int stop_at) {
    int steps = 0;
    {
      loop l{loop::options{.clock = options.clock}};
      l.observe_steps([&] {
        if (steps++ == stop_at) l.request_stop();
      });
      l.run(make(l));
    }
    boost::ut::expect(counted::alive() == 0) << "alive after a stop at step" << stop_at;
    return steps;
  };
  const int length = run_stopping_at(-1);
  for (int k = 0; k < length + options.beyond; ++k) run_stopping_at(k);
  return length;
}

}  // namespace hawser::testing
