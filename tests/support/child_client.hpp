// SPDX-License-Identifier: MIT
// A test's client of an MCP server that is a real child process: sends and receives lines.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "../../runtime/async/event.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/stdio/stdio_channel.hpp"
#include "ut.hpp"

namespace hawser::testing {

class child_client final : public receiver {
 public:
  child_client(keeper& starter, command what)
      : wire(starter, {.what = std::move(what),
                       .ladder = {.after_stdin = std::chrono::seconds{2}, .after_sigterm = std::chrono::seconds{2}},
                       .exit_timeout = std::chrono::seconds{5}}) {}

  stdio_channel wire;
  std::deque<std::string> messages;
  std::string ended;  ///< how the connection ended, if it has

  void say(std::string_view json) { wire.send({.line = std::string{json} + '\n'}); }
  task<std::string> next() {
    while (messages.empty() && ended.empty()) {
      arrived_.reset();
      auto more = co_await with_timeout(std::chrono::seconds{10}, wait(arrived_));
      if (!more) break;
    }
    if (messages.empty()) co_return std::string{};
    std::string first = std::move(messages.front());
    messages.pop_front();
    co_return first;
  }
  task<std::string> ask(std::string json) {
    say(json);
    co_return co_await next();
  }
  task<std::string> end() {
    while (ended.empty()) {
      const std::string rest = co_await next();
      if (rest.empty() && ended.empty()) break;
    }
    co_return ended;
  }

 private:
  static task<result<void>> wait(event& e) { co_return co_await e.wait(); }
  void on_message(const message_view& message) noexcept override {
    messages.emplace_back(message.bytes);
    arrived_.set();
  }
  void on_request_failed(std::int64_t /*request*/, error /*why*/) noexcept override {}
  void on_reset(error /*why*/) noexcept override {}
  void on_closed(error why) noexcept override {
    ended = why.what;
    arrived_.set();
  }
  event arrived_;
};

using client_body = task<void> (*)(child_client&);

inline task<void> with_child_in(loop& l, command what, client_body inside) {
  keeper k{l};
  {
    child_client client{k, std::move(what)};
    auto opened = co_await client.wire.open(client);
    expect(opened.has_value()) << (opened ? "" : opened.error().what);
    if (opened) co_await inside(client);
    auto closed = co_await client.wire.close();
    expect(closed.has_value());
  }
  auto ended = co_await k.close();
  expect(ended.has_value());
}

/// Starts the child, runs `inside`, and ends the child.
inline void with_child(command what, client_body inside) {
  loop l;
  l.run(with_child_in(l, std::move(what), inside));
}

}  // namespace hawser::testing
