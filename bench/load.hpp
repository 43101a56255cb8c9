// SPDX-License-Identifier: MIT
// Calls made at a rate, in the two ways that there are. In a closed loop so many are under way all the time: the next
// one waits for an answer, so a server that stalls is asked less, and its stall is one long call. In an open loop calls
// come when they come, and each one's time counts from when it should have been made: a stall is felt by everybody who
// came meanwhile. What is called is the caller's business.
#pragma once

#include <cstdint>
#include <functional>

#include "../runtime/clock.hpp"
#include "../runtime/task.hpp"
#include "distribution.hpp"
#include "tally.hpp"

namespace hawser::bench {

/// One call, from beginning to end; bounded by itself, and by a stop.
using one_call = std::function<task<call_end>()>;

struct load_bounds {
  time_point begin_until{};  ///< no call begins later
  time_point give_up{};      ///< those that are under way then are stopped
};

struct load_result {
  /// Of the calls that were answered. In an open loop also of those that timed out, were given up, or whose turn never
  /// came, with the time for which they had waited by then: leaving them out would make an overload look well.
  distribution latency{};
  tally ends{};
  std::uint64_t unsent = 0;  ///< arrivals whose turn never came
  duration took{};           ///< to the last answer, or until we gave up
  duration silent{};         ///< we gave up, and so long nobody had been answered; else 0
  bool broken = false;       ///< ended early: nothing but failures, or a fatal one

  [[nodiscard]] double per_second() const noexcept {
    return took.count() == 0 ? 0 : static_cast<double>(ends.answered()) * 1e9 / static_cast<double>(took.count());
  }
};

/// Ends early after so many failures in a row: more of them say nothing new.
inline constexpr int most_failures_in_a_row = 100;

/// `by` is the loop's own clock.
task<load_result> closed_loop(clock& by, one_call call, int in_flight, load_bounds within);

struct arrivals {
  enum class spacing : std::uint8_t { random, even };  ///< random: as of many who know nothing of each other
  double per_second = 1;
  spacing how = spacing::random;
  /// So many under way at most; who comes when there are more waits for a place, and that counts.
  std::size_t most_under_way = 256;
};

task<load_result> open_loop(clock& by, one_call call, arrivals coming, load_bounds within);

}  // namespace hawser::bench
