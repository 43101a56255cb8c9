// SPDX-License-Identifier: MIT
// Hawser's side of the dispatch benchmarks: a server in a child process and a peer on its pipes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../../runtime/process/keeper.hpp"
#include "../../transports/jsonrpc/peer.hpp"
#include "../../transports/stdio/stdio_channel.hpp"

namespace hawser::bench {

/// The request that every dispatch benchmark sends.
const prepared_request& echo_request();
std::string_view echo_arguments();
const call_options& usual_deadlines();
/// The same request as a line for the floor, with an id as long as Hawser's ids become.
std::string echo_line();

class null_listener final : public peer_listener {};

/// To bench_mcp_server.
class stdio_connection {
 public:
  stdio_connection(loop& home, stdio output, std::vector<std::string> arguments, wire_limits limits = {});

  task<bool> open();
  task<void> close();
  [[nodiscard]] peer& side() noexcept { return side_; }

 private:
  keeper keeper_;
  stdio_channel wire_;
  null_listener listener_;
  peer side_;
};

}  // namespace hawser::bench
