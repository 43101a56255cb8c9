// SPDX-License-Identifier: MIT
// Chooses the tool of an unknown server to call, and its arguments. Pure. The tool is called a hundred thousand
// times: one that may change something is never chosen unless it was named.
#pragma once

#include <span>
#include <string>

#include "../../registry/tool.hpp"
#include "../../runtime/error.hpp"

namespace hawser::bench {

struct tool_choice {
  std::string tool{};
  std::string arguments{};  ///< a JSON object as text
  std::string why{};        ///< for display; empty: fully specified by the user
};

/// `name` and `arguments` are empty if not specified. Then the choice is, in this order: a tool named "echo" that
/// takes one string; the only tool; the first that needs no arguments and has readOnlyHint; the only one that needs
/// no arguments. errc::config lists the tools and says what to pass.
result<tool_choice> choose_tool(std::span<const tool> all, const std::string& name, const std::string& arguments);

}  // namespace hawser::bench
