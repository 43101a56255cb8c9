// SPDX-License-Identifier: MIT
// `hawser demo-server`: a built-in MCP server over stdin and stdout, to try clients with.
#pragma once

#include <string>

namespace hawser::cli {

struct demo_server_options {
  std::string name = "hawser-demo";
  std::string revision{};  ///< the only one to speak; empty = all
  bool legacy_only = false;
  bool modern_only = false;
};

/// Returns the program's exit code: 0 when the client has closed stdin, or by Ctrl-C or SIGTERM.
int demo_server(const demo_server_options& options);

}  // namespace hawser::cli
