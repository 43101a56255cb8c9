// SPDX-License-Identifier: MIT
// Load generation, in the two usual forms. In a closed loop a constant number of calls is in flight: the next one
// waits for a response, so a server that stalls receives fewer calls, and its stall is one long call. In an open loop
// calls arrive at a given rate, and each latency counts from the intended arrival: a stall affects all calls that
// arrive meanwhile. The caller defines the call.
#pragma once

#include <cstdint>
#include <functional>

#include "../../runtime/async/task.hpp"
#include "../../runtime/loop/clock.hpp"
#include "../report/distribution.hpp"
#include "../report/tally.hpp"

namespace hawser::bench {

/// One complete call; bounded by itself and by a stop.
using one_call = std::function<task<call_end>()>;

struct load_bounds {
  time_point begin_until{};  ///< no call begins later
  time_point give_up{};      ///< calls still in flight then are stopped
};

struct load_result {
  /// Of the answered calls. In an open loop also of calls that timed out, were given up or never started, with the
  /// time they had waited by then: without them an overload would look good.
  distribution latency{};
  tally ends{};
  std::uint64_t unsent = 0;  ///< arrivals that never started
  duration took{};           ///< until the last response, or until the run was given up
  duration silent{};         ///< time without any response before the run was given up; else 0
  bool broken = false;       ///< ended early: only failures, or a fatal one

  [[nodiscard]] double per_second() const noexcept {
    return took.count() == 0 ? 0 : static_cast<double>(ends.answered()) * 1e9 / static_cast<double>(took.count());
  }
};

/// Ends early after this many failures in a row: more of them add no information.
inline constexpr int most_failures_in_a_row = 100;

/// `by` is the loop's own clock.
task<load_result> closed_loop(clock& by, one_call call, int in_flight, load_bounds within);

struct arrivals {
  enum class spacing : std::uint8_t { random, even };  ///< random: Poisson arrivals, as from independent clients
  double per_second = 1;
  spacing how = spacing::random;
  /// The limit for calls in flight; further arrivals wait, and the wait counts as latency.
  std::size_t max_in_flight = 256;
};

task<load_result> open_loop(clock& by, one_call call, arrivals coming, load_bounds within);

}  // namespace hawser::bench
