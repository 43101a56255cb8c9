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

/// `name` is the tool's exposed name or, where `server` is not empty, the name its server gave it. Tools that are
/// remembered are looked at first. Then only a server that was named, or that could have the tool and was never listed,
/// is started. errc::tool_unknown says what there is instead; errc::server_gone why such a server could not be asked.
task<result<found_tool>> find_tool(errand& e, std::string name, std::string server);

}  // namespace hawser::cli
