// SPDX-License-Identifier: MIT
// A peer over an http_channel, with a scripted server at the other end.
#pragma once

#include <optional>
#include <string>

#include "../../runtime/async/sleep.hpp"
#include "../../transports/jsonrpc/protocol.hpp"
#include "../../transports/streamable_http/http_channel.hpp"
#include "peer_fixture.hpp"
#include "scripted_http_server.hpp"

namespace hawser::testing {

struct http_call_outcome {
  std::string result{};
  std::optional<error> failure{};
  [[nodiscard]] bool failed_with(errc code, execution executed) const {
    return failure && failure->code == code && failure->executed == executed;
  }
  [[nodiscard]] bool mentions(std::string_view part) const { return said().find(part) != std::string::npos; }
  [[nodiscard]] std::string said() const { return failure ? failure->what : result; }
};

struct http_channel_fixture {
  http_channel_fixture(loop& l, http_channel_options options)
      : channel(l, names, std::move(options)), side(l, channel, heard) {}

  ares_resolver names;
  http_channel channel;
  recording_peer_listener heard;
  peer side;

  task<http_call_outcome> call(std::string method, std::string params = {}, call_options options = {}) {
    const prepared_request request = prepared_request::verbatim(method, params);
    auto answer = co_await side.call(request, {}, options);
    if (!answer) co_return http_call_outcome{.failure = answer.error()};
    co_return http_call_outcome{.result = std::string{answer->text()}};
  }
  /// Begins a legacy session.
  task<http_call_outcome> initialize(std::string_view revision = protocol::revision::v2025_11_25) {
    const http_call_outcome got = co_await call("initialize", R"({"protocolVersion":"2025-11-25"})");
    if (got.failure) co_return got;
    side.negotiated(peer_info{std::string{revision}}, true);
    side.notify(protocol::notification::initialized);
    co_return got;
  }
  void modern() { side.negotiated(peer_info{std::string{protocol::revision::v2026_07_28}}, false); }
  /// Waits until `done` returns true, at most five seconds.
  static task<bool> until(std::function<bool()> done) {
    for (int i = 0; i < 1000 && !done(); ++i) {
      auto slept = co_await sleep_for(std::chrono::milliseconds{5});
      if (!slept) break;
    }
    co_return done();
  }
};

using http_channel_body = std::function<task<void>(http_channel_fixture& fixture)>;

inline task<void> run_with_http_channel(loop& l, http_channel_options options, http_channel_body what) {
  const counted alive;
  http_channel_fixture fixture{l, std::move(options)};
  auto opened = co_await fixture.channel.open(fixture.side);
  boost::ut::expect(opened.has_value()) << (opened ? "" : opened.error().what);
  co_await what(fixture);
  auto closed = co_await fixture.channel.close();
  boost::ut::expect(closed.has_value());
  fixture.heard.answers.clear();
}

inline void with_http_channel(const scripted_http_server& server, http_channel_body what,
                              http_channel_options options = {}) {
  if (options.to.host.empty()) options.to = server.url();
  loop l;
  l.run(run_with_http_channel(l, std::move(options), std::move(what)));
}

/// The responses of a legacy server to `initialize`, and 202 for anything that is not a request.
inline bool greets(scripted_connection& with, const received_request& asked, std::string_view fields = {}) {
  if (asked.is("GET")) {
    with.reply("405 Method Not Allowed", "text/plain", "");
  } else if (asked.is("DELETE")) {
    with.reply("200 OK", "text/plain", "");
  } else if (asked.asks("initialize")) {
    with.json(R"({"jsonrpc":"2.0","id":)" + asked.id() + R"(,"result":{"protocolVersion":"2025-11-25"}})", fields);
  } else if (asked.body.find(R"("id":)") == std::string::npos) {
    with.reply("202 Accepted", "text/plain", "");
  } else {
    return false;
  }
  return true;
}

inline std::string answer_to(const received_request& asked, std::string_view result = R"({"ok":true})") {
  return R"({"jsonrpc":"2.0","id":)" + asked.id() + R"(,"result":)" + std::string{result} + '}';
}

}  // namespace hawser::testing
