// SPDX-License-Identifier: MIT
// The loops of the dispatch questions, over whatever wire: calls in turn, and many at once.
#pragma once

#include "connection.hpp"
#include "distribution.hpp"

namespace hawser::bench {

/// What is done with a result.
enum class use : std::uint8_t { bytes, tree };

/// One echo after the other, a round of `into` if there is one. False once a call fails, and it has said why.
task<bool> calls_in_turn(peer& to, int count, use what, distribution* into);

/// Calls in a second with so many of them under way all the time; 0 if one failed.
task<double> throughput(peer& to, int in_flight, int each, use what);

/// The same for the floor: `exchange` is one call by blocking system calls, and returns whether it went well.
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
