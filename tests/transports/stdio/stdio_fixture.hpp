// SPDX-License-Identifier: MIT
// A server that is a few lines of shell, behind a stdio_channel, with a peer on this side.
#pragma once

#include <optional>

#include "../../../runtime/async/timeout.hpp"
#include "../../../transports/jsonrpc/peer.hpp"
#include "../../../transports/stdio/stdio_channel.hpp"
#include "../../support/contains.hpp"
#include "../../support/counted.hpp"
#include "../../support/run.hpp"
#include "../../support/ut.hpp"

namespace hawser::testing::stdio_fixture {

using namespace std::chrono_literals;

// A server that is a few lines of shell: it answers a request line with what the script prints. $id is the id of the
// request that was read last.
inline command script(const std::string& text) {
  const std::string prelude =
      "request() { IFS= read -r line || exit 0; id=${line##*\\\"id\\\":}; id=${id%\\}}; }\n"
      "answer() { printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\\n' \"$id\" \"$1\"; }\n";
  return {.program = "/bin/sh", .arguments = {"-c", prelude + text}};
}

class watching final : public peer_listener {
 public:
  void on_notification(std::string_view method, std::string_view /*params*/) override { heard.emplace_back(method); }
  void on_closed(const error& e) override {
    why.push_back(e);
    closed.set();
  }
  std::vector<std::string> heard;
  std::vector<error> why;
  event closed;
};

inline const prepared_request echo = prepared_request::tool_call("echo");
inline const call_options patient{.idle_timeout = 10s};

struct outcome {
  int ends = 0;
  std::string text;
  std::optional<error> failure;
};

inline task<void> record_call(peer& to, outcome& into, std::string argument) {
  const counted alive;
  auto answer = co_await to.call(echo, argument, patient);
  ++into.ends;
  if (answer) {
    into.text = answer->text();
  } else {
    into.failure = answer.error();
  }
}

inline task<outcome> call(peer& to, std::string argument = R"({"a":1})") {
  outcome got;
  co_await record_call(to, got, std::move(argument));
  co_return got;
}

inline task<result<void>> wait_for(event& e) { co_return co_await e.wait(); }

// A server, its channel and a peer on it.
struct server_fixture {
  server_fixture(loop& l, keeper& k, stdio_channel_options options)
      : wire(k, std::move(options)), side(l, wire, heard) {}
  watching heard;
  stdio_channel wire;
  peer side;
};

using body = task<void> (*)(server_fixture&);

inline task<void> with_fixture(loop& l, stdio_channel_options options, body inside) {
  keeper k{l};
  {
    server_fixture h{l, k, std::move(options)};
    auto opened = co_await h.wire.open(h.side);
    expect(opened.has_value()) << (opened ? "" : opened.error().what);
    if (opened) co_await inside(h);
    auto closed = co_await h.wire.close();
    expect(closed.has_value()) << (closed ? "" : closed.error().what);
    expect(h.side.pending() == 0_ul && h.heard.why.size() <= 1_ul);
  }
  auto ended = co_await k.close();
  expect(ended.has_value());
}

inline void with_server(stdio_channel_options options, body inside) {
  options.ladder = {.after_stdin = 200ms, .after_sigterm = 200ms, .after_sigkill = 2s};
  loop l;
  l.run(with_fixture(l, std::move(options), inside));
}
inline void with_script(const std::string& text, body inside) { with_server({.what = script(text)}, inside); }

inline task<error> how_it_ended(server_fixture& h) {
  auto closed = co_await with_timeout(5s, wait_for(h.heard.closed));
  expect(closed.has_value());
  if (h.heard.why.empty()) co_return error{.code = errc::timed_out, .what = "it did not end"};
  co_return h.heard.why.front();
}

}  // namespace hawser::testing::stdio_fixture
