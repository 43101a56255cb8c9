// SPDX-License-Identifier: MIT
// The call loops of the dispatch benchmarks, over any transport: sequential and concurrent calls.
#pragma once

#include "../report/distribution.hpp"
#include "stdio_connection.hpp"

namespace hawser::bench {

/// How a result is used.
enum class result_form : std::uint8_t { bytes, tree };

/// Sequential echo calls, added to `into` as one round if it is not null. Returns false if a call fails, after
/// printing why.
task<bool> calls_in_turn(peer& to, int count, result_form what, distribution* into);

/// Calls per second with a constant number in flight; 0 if one failed.
task<double> throughput(peer& to, int in_flight, int each, result_form what);

/// The same for the floor: `exchange` is one call by blocking system calls and returns whether it succeeded.
template <class Exchange>
bool floor_in_turn(int count, distribution& into, Exchange exchange) {
  for (int i = 0; i < count; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    if (!exchange()) return false;
    into.add(std::chrono::steady_clock::now() - begin);
  }
  into.end_round();
  return true;
}

}  // namespace hawser::bench
