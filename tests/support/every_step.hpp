// SPDX-License-Identifier: MIT
// Brute-force cancellation test for coroutines. Runs a task to its end and counts the loop's steps; then, for every
// k, runs it again and stops it after k steps: once just before the next step, when a completion is pending but not
// yet delivered, and once when nothing is ready and all coroutines wait. Each time the task must end, leave no object
// alive and no descriptor open, and let the loop close. Own loops and loops attached to a program's uv_loop_t
// alternate, so that every task is tested with both.
#pragma once

#include <unistd.h>

#include <functional>
#include <string>

#include "../../runtime/loop/loop.hpp"
#include "counted.hpp"
#include "fixture.hpp"
#include "libuv_program.hpp"
#include "ut.hpp"

namespace hawser::testing {

struct every_step_options {
  hawser::clock* clock = nullptr;
  /// Tasks that wait for external events take a different number of steps each time; this many additional steps are
  /// tried.
  int beyond = 3;
  /// The task waits for external events with nothing ready, and must have been stopped there at least once.
  bool waits = false;
  /// For a task of very many similar steps: stop only at every `stride`-th step.
  int stride = 1;
};

/// `make(loop)` returns a new task. A loop that does not close cleanly aborts the program, so returning at all is
/// part of the test. Returns the number of steps of the undisturbed run.
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
  const std::size_t descriptors = open_descriptors();  // the first run may have left descriptors open in libraries
  for (int k = 0; k < length + options.beyond; k += options.stride) {
    run_stopping_at(k, moment::before_a_step);
    run_stopping_at(k, moment::while_all_wait);
    // A test server on another thread accepts connections, and sees them close, a moment later.
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
