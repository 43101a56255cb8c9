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

struct answered {
  std::string question;
  answer_lines lines{};
  std::string obstacle{};  ///< why the lines are not the whole answer; missed bars are none
};

/// Starts this program again with these arguments, the question first. What it says on stderr goes to ours.
task<answered> ask(keeper& starts, std::vector<std::string> arguments);

}  // namespace hawser::bench
