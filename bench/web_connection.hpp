// SPDX-License-Identifier: MIT
// Hawser's side of the HTTP benchmarks: a peer over an http_channel after the handshake.
#pragma once

#include <string>

#include "../runtime/dns.hpp"
#include "../transports/http_channel.hpp"
#include "connection.hpp"

namespace hawser::bench {

/// Of bench_web_server.
std::string url_of(const char* scheme, int port);
http_channel_options options_for(const std::string& url);
/// Exactly the bytes that Hawser sends, so that the floor sends no less.
std::string floor_request(int port);

class web_connection {
 public:
  web_connection(loop& home, resolver& names, http_channel_options options);
  task<bool> open();
  task<void> close();
  [[nodiscard]] peer& side() noexcept { return side_; }

 private:
  http_channel wire_;
  nobody_listens listener_;
  peer side_;
};

}  // namespace hawser::bench
