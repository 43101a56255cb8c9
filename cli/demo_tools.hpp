// SPDX-License-Identifier: MIT
// The tools of the demo server that need nothing but their arguments.
#pragma once

#include <string_view>
#include <vector>

#include "../gateway/serving_request.hpp"

namespace hawser::cli {

struct demo_tool {
  std::string_view name;
  std::string_view json;  ///< as tools/list shows it
  /// Null where the service itself has to do it.
  task<result<served_reply>> (*run)(serving_request& request);
};

/// In the order in which they are listed.
const std::vector<demo_tool>& demo_tools();

/// A tool that was added by the tool `add_tool`.
std::string added_tool_json(std::string_view name);
result<served_reply> call_added_tool(const serving_request& request);

}  // namespace hawser::cli
