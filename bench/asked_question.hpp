// SPDX-License-Identifier: MIT
// A question asked in a process of its own, and its answer as the JSON lines it printed: what one question did to the
// heap, or to which core it runs on, is nothing to the next one.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "../runtime/keeper.hpp"

namespace hawser::bench {

using answer_lines = std::vector<boost::json::object>;

/// Starts this program again with these arguments. Fewer lines than a whole answer come with an error that says why;
/// missed bars are no error. What it says on stderr goes to ours.
task<result<answer_lines>> ask(keeper& starts, std::vector<std::string> arguments);

}  // namespace hawser::bench
