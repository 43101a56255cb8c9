// SPDX-License-Identifier: MIT
// Listeners, authorizers and recorders of the embedding program that throw.
#include <stdexcept>

#include "../../../transports/testing/recording_channel.hpp"
#include "../../support/contains.hpp"
#include "../../support/http_channel_fixture.hpp"
#include "../../support/peer_fixture.hpp"

namespace throwing_callbacks_test {

using namespace hawser;
using testing::contains;

std::string log_of(task<void> (*body)(loop&)) {
  std::string lines;
  const logger log{[&](const log_record& record) { lines.append(record.text).append("\n"); }, log_level::error};
  loop l{loop::options{.log = log}};
  l.run(body(l));
  return lines;
}

class throwing_listener final : public peer_listener {
 public:
  void on_request(std::string_view /*method*/, std::string_view /*params*/, responder /*answer*/) override {
    throw std::runtime_error{"no request"};
  }
  void on_notification(std::string_view /*method*/, std::string_view /*params*/) override {
    throw std::runtime_error{"no notification"};
  }
  void on_closed(const error& /*why*/) override { throw std::runtime_error{"no end"}; }
};

task<void> speak_to_listener(loop& l) {
  auto channels = memory_channel::make(l);
  throwing_listener listener;
  const auto takes_nothing = [](std::string_view) { throw std::runtime_error{"no disk"}; };
  recording_channel recorded{l, std::move(channels.first), takes_nothing};
  peer side{l, recorded, listener};
  testing::raw_end far{*channels.second};
  auto near_open = co_await recorded.open(side);
  auto far_open = co_await far.open();
  expect(near_open.has_value() && far_open.has_value());
  far.say(R"({"jsonrpc":"2.0","method":"notifications/x"})");
  far.say(R"({"jsonrpc":"2.0","id":1,"method":"x"})");
  const std::string answer = co_await far.next();
  expect(contains(answer, "-32603")) << answer;
  auto near_closed = co_await recorded.close();
  auto far_closed = co_await channels.second->close();
  expect(near_closed.has_value() && far_closed.has_value());
}

class throwing_login final : public authorizer {
 public:
  enum class step : std::uint8_t { cached, grant, refused };
  explicit throwing_login(step where) noexcept : where_(where) {}
  [[nodiscard]] std::optional<credentials> cached() override {
    if (where_ == step::cached) throw std::runtime_error{"thrown by at_hand"};
    return std::nullopt;
  }
  task<result<credentials>> acquire() override {
    if (where_ == step::grant) throw std::runtime_error{"thrown by grant"};
    co_return credentials{.fields = secret{"Authorization: Bearer x\r\n"}, .serial = 1};
  }
  task<result<credentials>> on_challenge(auth_challenge /*why*/) override {
    throw std::runtime_error{"thrown by refused"};  // not a coroutine
  }

 private:
  step where_;
};

testing::http_call_outcome call_with(throwing_login::step where, std::string_view status) {
  const testing::scripted_http_server server{[status](testing::scripted_connection& with) {
    while (auto asked = with.request()) {
      if (status.empty()) {
        with.json(testing::answer_to(*asked));
      } else {
        with.reply(status, "text/plain", "who are you?");
      }
    }
  }};
  throwing_login login{where};
  http_channel_options options;
  options.login = &login;
  testing::http_call_outcome got;
  testing::with_http_channel(
      server,
      [&](testing::http_channel_fixture& fixture) -> task<void> {
        fixture.modern();
        got = co_await fixture.call("tools/list",
                                    R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})");
      },
      std::move(options));
  return got;
}

const suite<"throwing_callbacks"> tests = [] {
  "EMB-1 a listener or recorder that throws is logged, and the request is answered with an internal error"_test = [] {
    const std::string log = log_of(speak_to_listener);
    for (const char* line :
         {"on_request of a peer's listener threw: no request",
          "on_notification of a peer's listener threw: no notification", "on_closed of a peer's listener threw: no end",
          "the function that takes a recording threw: no disk"})
      expect(contains(log, line)) << log;
  };
  "EMB-1 an authorizer that throws fails the request that it was asked for"_test = [] {
    using step = throwing_login::step;
    const auto asked_again = call_with(step::cached, "");
    expect(!asked_again.failure) << asked_again.said();
    const auto not_granted = call_with(step::grant, "");
    expect(not_granted.failure.has_value() && not_granted.mentions("thrown by grant")) << not_granted.said();
    const auto refused = call_with(step::refused, "401 Unauthorized");
    expect(refused.failure.has_value() && refused.mentions("thrown by refused")) << refused.said();
  };
};

}  // namespace throwing_callbacks_test
