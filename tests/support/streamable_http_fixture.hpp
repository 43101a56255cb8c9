// SPDX-License-Identifier: MIT
// Serves the example service through streamable_http_handler on loopback, with clients that send raw bytes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "../../runtime/async/timeout.hpp"
#include "../../server/http/streamable_http_handler.hpp"
#include "contains.hpp"
#include "http_server_fixture.hpp"
#include "server_session_fixture.hpp"

namespace hawser::testing {

inline std::string http_request_text(std::string_view method, std::string_view fields, std::string_view body = {},
                                     std::string_view target = "/mcp", std::string_view host = "127.0.0.1") {
  std::string text{method};
  text.append(" ").append(target).append(" HTTP/1.1\r\n");
  if (!host.empty()) text.append("Host: ").append(host).append("\r\n");
  text.append(fields);
  if (!body.empty()) text.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
  return text.append("\r\n").append(body);
}

inline constexpr std::string_view plain_fields =
    "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";

/// The header fields that a 2026-07-28 client sends with the message.
inline std::string modern_fields(std::string_view method, std::string_view name = {}) {
  std::string fields{plain_fields};
  fields.append("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: ").append(method).append("\r\n");
  if (!name.empty()) fields.append("Mcp-Name: ").append(name).append("\r\n");
  return fields;
}

/// A connection that is not read until the test reads it: data that exceeds the kernel's buffers waits in the server.
class unread_http_client {
 public:
  static task<std::unique_ptr<unread_http_client>> connect(endpoint at) {
    std::vector<endpoint> candidates{at};
    auto made = co_await tcp_connect(std::move(candidates));
    expect(made.has_value() || made.error().code == errc::cancelled);
    if (!made) co_return nullptr;
    co_return std::unique_ptr<unread_http_client>{new unread_http_client{std::move(*made)}};
  }
  void say(std::string_view bytes) { over_.write(bytes); }
  /// The complete response, of any size.
  task<received_response> read() {
    const http_limits any_size{.max_body = 0};
    auto answer = co_await with_timeout(std::chrono::seconds{60}, received_response::read(over_, any_size));
    expect(answer.has_value()) << (answer ? "" : answer.error().what);
    if (!answer) co_return received_response{};
    co_return std::move(*answer);
  }
  task<void> close() { co_await over_.close(); }

 private:
  explicit unread_http_client(stream over) : over_(std::move(over)) {}
  stream over_;
};

/// A connection whose response is read as it arrives.
class raw_http_client {
 public:
  static task<std::unique_ptr<raw_http_client>> connect(endpoint at) {
    std::vector<endpoint> candidates{at};
    auto made = co_await tcp_connect(std::move(candidates));
    expect(made.has_value() || made.error().code == errc::cancelled);
    if (!made) co_return nullptr;
    co_return std::unique_ptr<raw_http_client>{new raw_http_client{std::move(*made)}};
  }
  void say(std::string_view bytes) { over_.write(bytes); }
  /// Everything received so far, as soon as it contains `part`, or on timeout.
  task<std::string> until(std::string part) {
    while (!contains(heard, part)) {
      auto more = co_await with_timeout(std::chrono::seconds{5}, read(over_));
      if (!more) break;
      heard += over_.unread();
      over_.consume(over_.unread().size());
    }
    co_return heard;
  }
  task<void> close() { co_await over_.close(); }

  std::string heard;

 private:
  explicit raw_http_client(stream over) : over_(std::move(over)) {}
  static task<result<void>> read(stream& from) {
    auto more = co_await from.read_some();
    if (!more) co_return more.error();
    co_return result<void>{};
  }
  stream over_;
};

struct streamable_http_fixture {
  streamable_http_fixture(loop& l, http_server& s, streamable_http_options options)
      : home(l), server(s), handler(l, what, std::move(options)) {}

  loop& home;
  http_server& server;
  example_service what;
  streamable_http_handler handler;

  [[nodiscard]] endpoint at() const { return server.local(); }
  task<received_response> ask(std::string bytes) {
    auto answer = co_await testing::ask(at(), std::move(bytes));
    expect(answer.has_value()) << (answer ? "" : answer.error().what);
    if (!answer) co_return received_response{};
    co_return std::move(*answer);
  }
  task<received_response> post(std::string fields, std::string body) {
    co_return co_await ask(http_request_text("POST", fields, body));
  }
  /// Begins a session and returns its header fields.
  task<std::string> initialize(std::string revision = "2025-11-25", std::string capabilities = "{}") {
    const std::string hello = server_session_fixture::request(
        1000, "initialize", R"("protocolVersion":")" + revision + R"(","capabilities":)" + capabilities);
    const received_response answer = co_await post(std::string{plain_fields}, hello);
    const auto id = answer.fields.find("Mcp-Session-Id");
    expect(answer.status == 200 && id.has_value()) << answer.status << answer.body;
    if (!id) co_return std::string{};
    std::string fields = "Mcp-Session-Id: " + std::string{*id} + "\r\nMCP-Protocol-Version: " + revision + "\r\n";
    const std::string ready = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
    const received_response accepted = co_await post(std::string{plain_fields} + fields, ready);
    expect(accepted.status == 202_i && accepted.body.empty());
    co_return fields;
  }
  static task<void> serve(streamable_http_fixture& h) { co_await h.handler.run(h.server); }
};

using streamable_http_body = std::function<task<void>(streamable_http_fixture&)>;

inline task<void> run_in_streamable_http_fixture(loop& l, streamable_http_body inside, streamable_http_options options,
                                                 http_server_options where) {
  const counted alive;
  auto server = http_server::listen(l, std::move(where));
  expect(server.has_value());
  if (!server) co_return;
  streamable_http_fixture fixture{l, *server, std::move(options)};
  scope serving{co_await this_context()};
  serving.spawn(streamable_http_fixture::serve(fixture));
  co_await inside(fixture);
  serving.request_stop();
  co_await serving.join();
  expect(fixture.handler.sessions() == 0_ul);
}

inline void with_streamable_http(streamable_http_body inside, streamable_http_options options = {},
                                 http_server_options where = {}) {
  loop l;
  l.run(run_in_streamable_http_fixture(l, std::move(inside), std::move(options), std::move(where)));
}

}  // namespace hawser::testing
