// SPDX-License-Identifier: MIT
// Which tool of a stranger's server is called, with what. Pure. It will be called a hundred thousand times: one that
// may change something is never chosen without being named.
#pragma once

#include <span>
#include <string>

#include "../registry/tool.hpp"
#include "../runtime/error.hpp"

namespace hawser::bench {

struct tool_choice {
  std::string tool{};
  std::string arguments{};  ///< a JSON object as text
  std::string why{};        ///< for people; empty: it was asked for in every particular
};

/// What was not said, `tool` or `arguments`, is empty. Else the choice is, in this order: a tool named "echo" that
/// takes one text; the only tool; the first that needs no arguments and says that it only reads; the only one that
/// needs none. errc::config lists the tools and says what to pass.
result<tool_choice> choose_tool(std::span<const tool> all, const std::string& name, const std::string& arguments);

}  // namespace hawser::bench
