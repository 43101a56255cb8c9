// SPDX-License-Identifier: MIT
// A small and strict HTTP/1.1 server on loopback: for gateways, callbacks and tests. What is served stands behind one
// function. No routing, no files, no other address.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "../runtime/tcp.hpp"
#include "http_call.hpp"
#include "tls_context.hpp"

namespace hawser {

struct http_server_options {
  tcp_listener::loopback where = tcp_listener::loopback::v4;
  std::uint16_t port = 0;              ///< 0: the system chooses
  std::shared_ptr<tls_context> tls{};  ///< null: in the clear
  http_limits limits{};
  std::size_t max_connections = 256;                   ///< who comes then hears 503
  duration head_deadline = std::chrono::seconds{10};   ///< for a head once it has begun, and for the handshake of TLS
  duration body_deadline = std::chrono::seconds{60};   ///< for all of a body
  duration idle_deadline = std::chrono::seconds{75};   ///< for the next request to begin
  duration write_deadline = std::chrono::seconds{30};  ///< for a client that takes nothing of its answer
};

/// Answers one request; http_call outlives it. Stopped when the client goes away or the server is stopped. Several run
/// at once, of one connection never.
using answer_request = std::function<task<void>(http_call& call)>;

class http_server {
 public:
  static result<http_server> listen(loop& home, http_server_options options);

  [[nodiscard]] endpoint local() const noexcept { return listener_.local(); }
  /// Until it is stopped; then what is being answered is stopped, too. Unbounded.
  task<void> serve(answer_request with);

 private:
  http_server(tcp_listener listener, http_server_options options) noexcept;
  tcp_listener listener_;
  http_server_options options_;
};

}  // namespace hawser
