// SPDX-License-Identifier: MIT
// What hawser-bench and another client say to each other, a line each (bench/peers/README.md). Only the texts; who
// starts and ends the client is other_client.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "../runtime/error.hpp"

namespace hawser::bench {

/// Where the calls go: a program to start with its arguments, or an address.
struct call_target {
  std::vector<std::string> stdio{};
  std::string http{};
};

std::string connect_line(const call_target& to);
std::string run_line(int count, int in_flight);
/// The longest line that a client may answer to a run of so many calls; 0 for the connecting.
std::size_t longest_answer(int count) noexcept;

/// What the client says of itself, mostly a version; may be empty.
result<std::string> read_ready(std::string_view line);

struct peer_times {
  std::chrono::nanoseconds took{};               ///< from the first call to the last answer
  std::vector<std::chrono::nanoseconds> each{};  ///< of every call
};

/// Times that cannot be are refused: not as many as calls, negative, or longer together than we have waited.
result<peer_times> read_times(std::string_view line, int count, int in_flight, std::chrono::nanoseconds waited);

}  // namespace hawser::bench
