// SPDX-License-Identifier: MIT
// Brute force against wrong coroutines: run a task to its end and count the loop's steps; then, for every k, run it
// again and stop it after k steps: once just before the next one, when something has happened and nobody has heard of
// it yet, and once when nothing is ready any more and everybody waits. Each time it must end, leave nothing alive and
// no descriptor open, and let the loop close. Loops that run themselves and loops that are attached to one of the
// program take turns, so that every task is tried in both forms.
#pragma once

#include <unistd.h>

#include <functional>
#include <string>

#include "../../runtime/loop.hpp"
#include "attached.hpp"
#include "counted.hpp"
#include "fixture.hpp"
#include "ut.hpp"

namespace hawser::testing {

struct every_step_options {
  hawser::clock* clock = nullptr;
  /// Tasks that wait for the outside world take a different number of steps each time; so many more are tried.
  int beyond = 3;
  /// It waits for the outside world, with nothing ready, and must have been stopped there, too.
  bool waits = false;
  /// A task of very many steps that are alike is stopped at each so many.
  int stride = 1;
};

/// `make(loop)` gives the task anew. A loop that does not close clean ends the program, so getting back here is half
/// of the proof. Returns how many steps the undisturbed run took.
inline int every_step(const std::function<task<void>(loop&)>& make, every_step_options options = {}) {
  enum class moment { before_a_step, while_all_wait };
  int stopped_while_waiting = 0;
  const auto run_stopping_at = [&](int stop_at, moment when) {
    int steps = 0;
    const auto begin = [&](loop& l) {
      const auto stop_later = [&] {
        l.post([&] {
          ++stopped_while_waiting;
          l.request_stop();
        });
      };
      if (when == moment::while_all_wait && stop_at == 0) stop_later();
      l.observe_steps([&, stop_later] {
        if (steps++ != stop_at) return;
        if (when == moment::before_a_step) l.request_stop();
        if (when == moment::while_all_wait) stop_later();
      });
      return make(l);
    };
    const bool attached = (stop_at + (when == moment::while_all_wait ? 1 : 0)) % 2 == 1;
    if (attached) {
      run_attached(begin, loop::options{.clock = options.clock});
    } else {
      loop l{loop::options{.clock = options.clock}};
      l.run(begin(l));
    }
    boost::ut::expect(counted::alive() == 0) << "alive after a stop at step" << stop_at;
    return steps;
  };
  const int length = run_stopping_at(-1, moment::before_a_step);
  const std::size_t descriptors = open_descriptors();  // the first run may have left some in libraries' own hands
  for (int k = 0; k < length + options.beyond; k += options.stride) {
    run_stopping_at(k, moment::before_a_step);
    run_stopping_at(k, moment::while_all_wait);
    // A server that the test plays on another thread accepts a connection, and hears of its end, a moment later.
    bool as_before = open_descriptors() <= descriptors;
    for (int patience = 1000; patience > 0 && !as_before; --patience) {
      usleep(1000);
      as_before = open_descriptors() <= descriptors;
    }
    boost::ut::expect(as_before) << "a descriptor is left by a stop at step" << k;
  }
  boost::ut::expect(!options.waits || stopped_while_waiting > 0) << "it never waits: there is nothing to stop";
  return length;
}

}  // namespace hawser::testing
