// SPDX-License-Identifier: MIT
#include "http_connection.hpp"

namespace hawser::bench {

std::string url_of(const char* scheme, int port) {
  return std::string{scheme} + "://127.0.0.1:" + std::to_string(port) + "/mcp";
}

http_channel_options options_for(const std::string& url) {
  http_channel_options options;
  options.to = http_url::parse(url).value();
  return options;
}

std::string floor_request(int port) {
  std::string body = echo_line();
  body.pop_back();
  return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
         "\r\nAccept: application/json, text/event-stream\r\nAccept-Encoding: identity\r\nContent-Type: "
         "application/json\r\nMCP-Protocol-Version: 2025-11-25\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

http_peer_connection::http_peer_connection(loop& home, resolver& names, http_channel_options options)
    : wire_(home, names, std::move(options)), side_(home, wire_, listener_) {}

task<bool> http_peer_connection::open() {
  auto opened = co_await wire_.open(side_);
  if (!opened) co_return false;
  wire_.negotiated({"2025-11-25"});
  co_return true;
}

task<void> http_peer_connection::close() {
  auto closed = co_await wire_.close();
  ignore(closed, "the numbers are taken");
}

}  // namespace hawser::bench
