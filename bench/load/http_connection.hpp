// SPDX-License-Identifier: MIT
// Hawser's side of the HTTP benchmarks: a peer over an http_channel after the handshake.
#pragma once

#include <string>

#include "../../runtime/io/dns.hpp"
#include "../../transports/streamable_http/http_channel.hpp"
#include "stdio_connection.hpp"

namespace hawser::bench {

/// Of bench_http_server.
std::string url_of(const char* scheme, int port);
http_channel_options options_for(const std::string& url);
/// Exactly the bytes that Hawser sends, so that the floor sends no less.
std::string floor_request(int port);

class http_peer_connection {
 public:
  http_peer_connection(loop& home, resolver& names, http_channel_options options);
  task<bool> open();
  task<void> close();
  [[nodiscard]] peer& side() noexcept { return side_; }

 private:
  http_channel wire_;
  null_listener listener_;
  peer side_;
};

}  // namespace hawser::bench
