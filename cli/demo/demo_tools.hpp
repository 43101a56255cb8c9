// SPDX-License-Identifier: MIT
// The tools of the demo server that need only their arguments.
#pragma once

#include <string_view>
#include <vector>

#include "../../server/request_context.hpp"

namespace hawser::cli {

struct demo_tool {
  std::string_view name;
  std::string_view json;  ///< the definition in tools/list
  /// Null if the service itself implements it.
  task<result<service_result>> (*run)(request_context& request);
};

/// In the order of tools/list.
const std::vector<demo_tool>& demo_tools();

/// The definition of a tool that was added by calling `add_tool`.
std::string added_tool_json(std::string_view name);
result<service_result> call_added_tool(const request_context& request);

}  // namespace hawser::cli
