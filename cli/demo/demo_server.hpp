// SPDX-License-Identifier: MIT
// `hawser demo-server`: a built-in MCP server over stdin and stdout, or over HTTP on loopback, for testing clients.
#pragma once

#include <cstdint>
#include <string>

namespace hawser::cli {

struct demo_server_options {
  std::string name = "hawser-demo";
  std::string revision{};  ///< the only revision to speak; empty = all
  bool legacy_only = false;
  bool modern_only = false;
  bool http = false;
  std::uint16_t port = 0;  ///< with http: 0 = any free port
  bool json = false;       ///< with http: print the URL as JSON
};

/// Returns the program's exit code: 0 when the client has closed stdin, or on Ctrl-C or SIGTERM. With http, stdin is
/// not read.
int demo_server(const demo_server_options& options);

}  // namespace hawser::cli
