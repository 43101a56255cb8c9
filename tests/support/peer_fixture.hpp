// SPDX-License-Identifier: MIT
// A peer over a memory channel with the test at the far end, and calls that count how often they end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../../runtime/async/scope.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/jsonrpc/peer.hpp"
#include "counted.hpp"
#include "raw_end.hpp"
#include "ut.hpp"

namespace hawser::testing {

// Records what it receives, and the responders that are still open.
class recording_peer_listener final : public peer_listener {
 public:
  void on_request(std::string_view method, std::string_view params, responder answer) override {
    requests.push_back(std::string{method} + ' ' + std::string{params});
    answers.push_back(std::move(answer));
  }
  void on_notification(std::string_view method, std::string_view params) override {
    notifications.push_back(std::string{method} + ' ' + std::string{params});
  }
  void on_closed(const error& why) override { closed.push_back(why.what); }

  std::vector<std::string> requests;
  std::vector<responder> answers;
  std::vector<std::string> notifications;
  std::vector<std::string> closed;
};

// A peer, and the test at the other end of its channel.
struct peer_fixture {
  explicit peer_fixture(loop& l, peer_limits limits = {})
      : channels(memory_channel::make(l)), side(l, *channels.first, heard, limits), far(*channels.second) {}

  memory_channel::pair channels;
  recording_peer_listener heard;
  peer side;
  raw_end far;

  task<void> open() {
    auto near_open = co_await channels.first->open(side);
    auto far_open = co_await far.open();
    expect(near_open.has_value() && far_open.has_value());
  }
  task<void> close() {
    auto near_closed = co_await channels.first->close();
    auto far_closed = co_await channels.second->close();
    expect(near_closed.has_value() && far_closed.has_value());
    heard.answers.clear();
  }
};

inline std::string id_of(std::string_view message) { return std::string{find_member(message, "id")}; }

inline const prepared_request echo = prepared_request::tool_call("echo");
inline const call_options by_default;

// Records how a call ended, and how often: tests expect exactly once.
struct outcome {
  int ends = 0;
  std::string text;
  std::optional<error> failure;
};

inline task<void> record_call(peer& to, outcome& into, const call_options& options) {
  const counted alive;
  auto answer = co_await to.call(echo, R"({"text":"hi"})", options);
  ++into.ends;
  if (answer) {
    into.text = answer->text();
  } else {
    into.failure = answer.error();
  }
}

inline task<void> call_with(peer& to, outcome& into, std::string argument) {
  auto answer = co_await to.call(echo, argument, by_default);
  ++into.ends;
  if (answer) into.text = answer->text();
}

// One call; `replies` are the messages of the far end, with ID for the id of the call; the call must then have ended.
inline task<outcome> one_call(peer_fixture& h, std::vector<std::string> replies,
                              const call_options& options = by_default) {
  outcome got;
  scope calls{co_await this_context()};
  calls.spawn(record_call(h.side, got, options));
  const std::string request = co_await h.far.next();
  for (std::string reply : replies) {
    for (std::size_t at = 0; (at = reply.find("ID", at)) != std::string::npos;) reply.replace(at, 2, id_of(request));
    h.far.say(reply);
  }
  co_await calls.join();
  expect(got.ends == 1_i);
  co_return got;
}

using body = task<void> (*)(peer_fixture&);

inline task<void> run_in_fixture(loop& l, body inside) {
  peer_fixture h{l};
  co_await h.open();
  co_await inside(h);
  co_await h.close();
  expect(h.side.pending() == 0_ul);
}

inline void with_fixture(body inside) {
  loop l;
  l.run(run_in_fixture(l, inside));
}

}  // namespace hawser::testing
