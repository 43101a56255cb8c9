// SPDX-License-Identifier: MIT
// Runs a benchmark in a process of its own and reads the JSON lines it prints, so that its effects on the heap or on
// core affinity do not reach the next one.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "../runtime/process/keeper.hpp"

namespace hawser::bench {

using json_lines = std::vector<boost::json::object>;

struct benchmark_output {
  std::string question;
  json_lines lines{};
  std::string failure{};  ///< why the lines are incomplete; missed bars do not count
};

/// Starts this program again with these arguments, the benchmark's name first. Its stderr goes to ours.
task<benchmark_output> ask(keeper& starts, std::vector<std::string> arguments);

}  // namespace hawser::bench
