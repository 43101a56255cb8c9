// SPDX-License-Identifier: MIT
// The line protocol between hawser-bench and another client (bench/peers/README.md). Formats and parses only;
// other_client starts and ends the client.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/error.hpp"

namespace hawser::bench {

/// The target of the calls: a program with its arguments, or a URL.
struct call_target {
  std::vector<std::string> stdio{};
  std::string http{};
};

std::string connect_line(const call_target& to);
std::string run_line(int count, int in_flight);
/// The maximum length of a client's response to a run of this many calls; 0 for connecting.
std::size_t longest_answer(int count) noexcept;

/// The client's description of itself, usually a version; may be empty.
result<std::string> read_ready(std::string_view line);

struct peer_times {
  std::chrono::nanoseconds took{};               ///< from the first call to the last response
  std::vector<std::chrono::nanoseconds> each{};  ///< of every call
};

/// Rejects implausible times: a wrong count, negative values, or a sum longer than we have waited.
result<peer_times> read_times(std::string_view line, int count, int in_flight, std::chrono::nanoseconds waited);

}  // namespace hawser::bench
