// SPDX-License-Identifier: MIT
// Which tool a command means, with as few servers started as that takes.
#pragma once

#include <string>

#include "errand.hpp"

namespace hawser::cli {

struct found_tool {
  std::string name{};  ///< under which the hub calls it
  std::string input_schema{};
};

/// `name` is the tool's exposed name or, where `server` is not empty, the name its server gave it. Known lists are
/// looked at first; then servers whose name the tool's begins with are started, and the others only if that was in
/// vain. errc::tool_unknown says what there is instead.
task<result<found_tool>> find_tool(errand& e, std::string name, std::string server);

/// Whether a tool of this name is likely to belong to a server of that one.
bool is_likely_owner(std::string_view server, std::string_view tool) noexcept;

}  // namespace hawser::cli
