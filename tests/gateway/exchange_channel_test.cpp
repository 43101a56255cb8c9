// SPDX-License-Identifier: MIT
#include "../../gateway/exchange_channel.hpp"

#include <set>

#include "../../transports/json_text.hpp"
#include "../support/run.hpp"
#include "../support/ut.hpp"

namespace exchange_channel_test {

using namespace hawser;
using hawser::testing::run;

struct listening final : receiver {
  std::vector<std::string> heard;
  std::optional<error> closed;
  void on_message(const message_view& message) noexcept override { heard.emplace_back(message.method); }
  void on_request_failed(std::int64_t /*request*/, error /*why*/) noexcept override {}
  void on_reset(error /*why*/) noexcept override {}
  void on_closed(error why) noexcept override { closed = std::move(why); }
};

http_reply reply_to(const char* id) {
  std::set<std::string, std::less<>> expected{id};
  return http_reply{std::move(expected)};
}

task<void> finds_the_way() {
  exchange_channel channel;
  listening side;
  auto opened = co_await channel.open(side);
  expect(opened.has_value());
  http_reply number = reply_to("1");
  http_reply text = reply_to("\"1\"");
  channel.attach(number);
  channel.attach(text);
  expect(channel.awaits("1") && channel.awaits("\"1\"") && !channel.awaits("2"));
  channel.send({.line = "12345\n", .about = "1"});
  channel.send({.line = "123\n", .about = "\"1\"", .answers = true});
  expect(number.queued() == 5_ul && text.queued() == 3_ul && channel.queued() == 8_ul);
  expect(!channel.awaits("\"1\"")) << "answered";
  channel.send({.line = "more\n", .about = "\"1\""});
  expect(text.queued() == 3_ul) << "nothing follows an answer";
  channel.send({.line = "asked\n", .request = 7, .about = "1"});
  expect(number.has_asked(7) && !text.has_asked(7));
  channel.cancel(7, "late");
  expect(number.queued() > 10_ul) << "where it was asked";
  channel.detach(number);
  expect(channel.queued() == 3_ul) << "what somebody did not read is nobody's";
  channel.send({.line = "lost\n", .about = "1", .answers = true});
  channel.detach(text);
  auto closed = co_await channel.close();
  expect(closed.has_value() && side.closed.has_value());
}

task<void> keeps_what_is_unasked() {
  exchange_channel channel;
  listening side;
  auto opened = co_await channel.open(side);
  expect(opened.has_value());
  for (int i = 0; i < 1000; ++i) channel.send({.line = "0123456789\n"});
  channel.send({.line = "question\n", .request = 1, .about = "9"});  // of a call that the client has let go of
  expect(channel.queued() == 0_ul) << "nobody has to wait for it";
  std::set<std::string, std::less<>> nothing;
  http_reply stream{std::move(nothing), http_reply::form::events};
  channel.listen(stream);
  expect(stream.queued() == 638_ul) << "the latest ones";
  channel.unlisten(stream);
  channel.send({.line = std::string(1'000'000, 'x')});
  http_reply second{{}, http_reply::form::events};
  channel.listen(second);
  expect(second.queued() == 0_ul) << "a large one is not kept";
  channel.unlisten(second);
  auto closed = co_await channel.close();
  expect(closed.has_value());
}

task<void> hears_of_cancelling() {
  exchange_channel channel;
  listening side;
  auto opened = co_await channel.open(side);
  expect(opened.has_value());
  http_reply one = reply_to("1");
  channel.attach(one);
  channel.deliver(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}})");
  channel.send({.line = "a\n", .about = "1"});
  expect(one.queued() == 1_ul) << "that was another id";
  channel.deliver(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  channel.send({.line = "b\n", .about = "1"});
  expect(one.queued() == 1_ul && side.heard.size() == 2_ul);
  channel.detach(one);
  auto closed = co_await channel.close();
  expect(closed.has_value());
}

task<void> ended_before_it_began() {
  exchange_channel channel;
  listening side;
  channel.end(error{.code = errc::closed, .what = "enough"});
  auto opened = co_await channel.open(side);
  auto ready = co_await channel.opened();
  expect(!opened.has_value() && !ready.has_value() && !side.closed.has_value());
  auto closed = co_await channel.close();
  expect(closed.has_value());
}

const suite<"exchange_channel"> tests = [] {
  "a message goes where its request waits"_test = [] { run(finds_the_way()); };
  "what is said unasked is kept for a while, and not much of it"_test = [] { run(keeps_what_is_unasked()); };
  "who waits for a cancelled request is let go"_test = [] { run(hears_of_cancelling()); };
  "one that ended before it began does not open"_test = [] { run(ended_before_it_began()); };
};

}  // namespace exchange_channel_test
