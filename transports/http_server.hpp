// SPDX-License-Identifier: MIT
// A small and strict HTTP/1.1 server on loopback: for gateways, callbacks and tests. What is served stands behind one
// function. No routing, no files, no other address.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "../runtime/tcp.hpp"
#include "http_call.hpp"
#include "tls_context.hpp"

namespace hawser {

struct http_server_options {
  tcp_listener::loopback where = tcp_listener::loopback::v4;
  std::uint16_t port = 0;              ///< 0: the system chooses
  std::shared_ptr<tls_context> tls{};  ///< null: in the clear
  http_limits limits{};
  /// One more takes the place of a connection on which no request is being answered: see served_connection::standing.
  /// Where all of them are answering it hears 503.
  std::size_t max_connections = 256;
  /// Of all bodies that are held at once, beyond the first 64 KiB of each. A request that needs more hears 503.
  std::size_t max_body_bytes = std::size_t{128} << 20;
  duration head_deadline = std::chrono::seconds{10};  ///< for a head once it has begun, and for the handshake of TLS
  duration body_deadline = std::chrono::seconds{60};  ///< for all of a body
  duration idle_deadline = std::chrono::seconds{75};  ///< for the next request to begin
  /// Bytes a second: how slowly a body may come, on average over each `rate_window`, and an answer may be taken, on
  /// average over each `write_deadline`. Only while there is something to come or to take: a silent stream is not slow.
  std::size_t min_rate = 1024;
  duration rate_window = std::chrono::seconds{10};
  duration write_deadline = std::chrono::seconds{30};  ///< as large as it is because the system takes large pieces
};

/// Answers one request; http_call outlives it. Stopped when the client goes away or the server is stopped. Several run
/// at once, of one connection never.
using answer_request = std::function<task<void>(http_call& call)>;

/// A whole answer.
struct whole_answer {
  int status = 200;
  http_fields fields{};
  std::string body{};
};

/// Judges a request by its head alone: nothing where it may be served, else what it is answered with. Called before a
/// byte of its body is read and before `100 Continue`. A refused body is not read: the connection ends.
using judge_head = std::function<std::optional<whole_answer>(const http_head& head)>;

class http_server {
 public:
  static result<http_server> listen(loop& home, http_server_options options);

  [[nodiscard]] endpoint local() const noexcept { return listener_.local(); }
  /// Until it is stopped; then what is being answered is stopped, too. Unbounded.
  task<void> serve(answer_request with, judge_head judge = {});

 private:
  http_server(tcp_listener listener, http_server_options options) noexcept;
  tcp_listener listener_;
  http_server_options options_;
};

}  // namespace hawser
