// SPDX-License-Identifier: MIT
// All goals in one table: which question answers which, and what is read from its lines.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "asked_question.hpp"
#include "goal.hpp"

namespace hawser::bench {

/// The figures of goals, P1 first, as they stand in the lines.
std::vector<goal> goals_in(std::span<const answered> all);
/// The numbers of the goals, of ten, of which there is no figure.
std::vector<int> goals_missing(std::span<const goal> found);

}  // namespace hawser::bench
