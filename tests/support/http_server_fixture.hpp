// SPDX-License-Identifier: MIT
// An HTTP server on loopback, and clients that send arbitrary bytes.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "../../runtime/async/scope.hpp"
#include "../../transports/http/server/http_server.hpp"
#include "counted.hpp"
#include "tcp_peers.hpp"
#include "ut.hpp"

namespace hawser::testing {

struct received_response final : private http_listener {
  int status = 0;
  http_fields fields;
  std::string body;
  bool keep_alive = false;

  /// The next complete response. Bytes after it stay unread.
  static task<result<received_response>> read(stream& from, http_limits limits = {}) {
    received_response made;
    http_parser parser{http_parser::side::response, limits};
    while (true) {
      auto taken = parser.feed(from.unread(), made);
      if (!taken) co_return taken.error();
      from.consume(*taken);
      if (parser.complete()) co_return made;
      auto more = co_await from.read_some();
      if (more) continue;
      if (more.error().code != errc::closed) co_return more.error();
      auto whole = parser.finish(made);
      if (!whole) co_return whole.error();
      co_return made;
    }
  }

 private:
  void on_head(const http_head& head) noexcept override {
    status = head.status;
    fields = head.fields;
    keep_alive = head.keep_alive;
  }
  void on_body(std::string_view piece) noexcept override { body += piece; }
  void on_complete() noexcept override {}
};

/// Connects, writes, reads one response, and closes.
inline task<result<received_response>> ask(endpoint at, std::string bytes) {
  std::vector<endpoint> candidates{at};
  auto made = co_await tcp_connect(std::move(candidates));
  if (!made) co_return made.error();
  made->write(bytes);
  auto answer = co_await received_response::read(*made);
  co_await made->close();
  co_return answer;
}

/// Connects, writes, and reads until the server closes.
inline task<result<std::string>> ask_to_end(endpoint at, std::string bytes) {
  std::vector<endpoint> candidates{at};
  auto made = co_await tcp_connect(std::move(candidates));
  if (!made) co_return made.error();
  made->write(bytes);
  auto all = co_await read_to_end(*made);
  co_await made->close();
  co_return all;
}

using http_server_body = std::function<task<void>(endpoint at)>;

/// Serves until `visit` completes.
inline task<void> serve_during(loop& l, http_server_options options, request_handler with, http_server_body visit) {
  const counted alive;
  auto server = http_server::listen(l, std::move(options));
  boost::ut::expect(server.has_value());
  if (!server) co_return;
  scope serving{co_await this_context()};
  serving.spawn(server->serve(std::move(with)));
  co_await visit(server->local());
  serving.request_stop();
  co_await serving.join();
}

}  // namespace hawser::testing
