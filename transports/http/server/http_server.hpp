// SPDX-License-Identifier: MIT
// A small, strict HTTP/1.1 server on loopback, for gateways, OAuth callbacks and tests. One function handles all
// requests. No routing, no files, no other addresses.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "../../../runtime/io/tcp.hpp"
#include "../../tls/tls_context.hpp"
#include "server_exchange.hpp"

namespace hawser {

struct http_server_options {
  tcp_listener::loopback where = tcp_listener::loopback::v4;
  std::uint16_t port = 0;              ///< 0: the system chooses
  std::shared_ptr<tls_context> tls{};  ///< null: no TLS
  http_limits limits{};
  /// A further connection replaces one on which no request is being answered: see server_connection::eviction_priority.
  /// If all are answering, it gets a 503.
  std::size_t max_connections = 256;
  /// Limit for all bodies held at once, not counting the first 64 KiB of each. A request that exceeds it gets a 503.
  std::size_t max_body_bytes = std::size_t{128} << 20;
  duration head_deadline = std::chrono::seconds{10};  ///< for a head once it has started, and for the TLS handshake
  duration body_deadline = std::chrono::seconds{60};  ///< for a whole body
  duration idle_deadline = std::chrono::seconds{75};  ///< for the next request to start
  /// Minimum bytes per second: of a request body, averaged over each `rate_window`, and of a response that the client
  /// accepts, averaged over each `write_deadline`. Applies only while data is due: a silent stream is not slow.
  std::size_t min_rate = 1024;
  duration rate_window = std::chrono::seconds{10};
  duration write_deadline = std::chrono::seconds{30};  ///< this long because the kernel accepts large pieces at once
};

/// Handles one request; the server_exchange outlives it. Stopped when the client disconnects or the server is stopped.
/// Several run concurrently, but only one per connection.
using request_handler = std::function<task<void>(server_exchange& call)>;

/// A complete response.
struct complete_response {
  int status = 200;
  http_fields fields{};
  std::string body{};
};

/// Checks a request by its head alone: nothing if it may be served, otherwise the response that refuses it. Called
/// before a byte of its body is read and before `100 Continue`. The body of a refused request is not read: the
/// connection ends.
using head_check = std::function<std::optional<complete_response>(const http_head& head)>;

class http_server {
 public:
  static result<http_server> listen(loop& home, http_server_options options);

  [[nodiscard]] endpoint local() const noexcept { return listener_.local(); }
  /// Serves until stopped; requests in progress are then stopped, too. Unbounded.
  task<void> serve(request_handler with, head_check judge = {});

 private:
  http_server(tcp_listener listener, http_server_options options) noexcept;
  tcp_listener listener_;
  http_server_options options_;
};

}  // namespace hawser
