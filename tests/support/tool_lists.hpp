// SPDX-License-Identifier: MIT
// Tool lists for tests: by name only, or with more members.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../../registry/tool.hpp"

namespace hawser::testing {

/// Tools with these names, each with a distinct description.
inline std::shared_ptr<const tool_list> tools_named(const std::vector<std::string>& names) {
  auto list = std::make_shared<tool_list>();
  for (const std::string& name : names)
    list->add(
        {.name = list->own(name), .description = list->own("does " + name), .input_schema = R"({"type":"object"})"});
  return list;
}

/// `count` tools: tool_0, tool_1 …
inline std::shared_ptr<const tool_list> numbered_tools(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("tool_" + std::to_string(i));
  return tools_named(names);
}

}  // namespace hawser::testing
