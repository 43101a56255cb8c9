// SPDX-License-Identifier: MIT
// Makes the channel for one start of a server: a child process, HTTP, or the embedding program's own channel.
#pragma once

#include <memory>

#include "../../transports/stdio/stdio_channel.hpp"
#include "configured_server.hpp"

namespace hawser {

struct server_channel {
  std::unique_ptr<channel> stream{};
  stdio_channel* process = nullptr;  ///< the channel of a child process, which `stream` owns
};

/// errc::config if the program may not start processes, or may not use the network. `on_busy`: see
/// http_channel_options.
task<result<server_channel>> make_server_channel(const configured_server& server,
                                                 http_channel_factory::busy_listener on_busy);

}  // namespace hawser
