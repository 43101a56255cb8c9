// SPDX-License-Identifier: MIT
// `hawser demo-server`: a built-in MCP server over stdin and stdout, or over HTTP on loopback, to try clients with.
#pragma once

#include <cstdint>
#include <string>

namespace hawser::cli {

struct demo_server_options {
  std::string name = "hawser-demo";
  std::string revision{};  ///< the only one to speak; empty = all
  bool legacy_only = false;
  bool modern_only = false;
  bool http = false;
  std::uint16_t port = 0;  ///< with http: 0 = the system chooses
  bool json = false;       ///< with http: how it says where it listens, in its first line
};

/// Returns the program's exit code: 0 when the client has closed stdin, or by Ctrl-C or SIGTERM. With http stdin is not
/// looked at.
int demo_server(const demo_server_options& options);

}  // namespace hawser::cli
