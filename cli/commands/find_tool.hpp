// SPDX-License-Identifier: MIT
// Finds the tool that a command names, starting as few servers as possible.
#pragma once

#include <string>

#include "command_context.hpp"

namespace hawser::cli {

struct found_tool {
  std::string name{};  ///< the name that the hub calls it by
  std::string input_schema{};
};

/// `name` is the tool's exposed name or, if `server` is not empty, its name on that server. Cached tools are searched
/// first. Then only the named server is started, or those that could have the tool and were never listed.
/// errc::tool_unknown suggests alternatives; errc::server_gone says why such a server could not be asked.
task<result<found_tool>> find_tool(command_context& e, std::string name, std::string server);

}  // namespace hawser::cli
