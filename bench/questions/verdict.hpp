// SPDX-License-Identifier: MIT
// All goals in one table: which benchmark measures which goal, and how it is read from its output lines.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "../benchmark_process.hpp"
#include "../report/goal.hpp"

namespace hawser::bench {

/// The figures of the goals, P1 first, as found in the lines.
std::vector<goal> goals_in(std::span<const benchmark_output> all);
/// The numbers, 1 to 10, of the goals without a figure.
std::vector<int> goals_missing(std::span<const goal> found);

}  // namespace hawser::bench
