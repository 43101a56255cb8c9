// SPDX-License-Identifier: MIT
#include "../../gateway/exchange_channel.hpp"

#include <set>

#include "../../runtime/scope.hpp"
#include "../../runtime/sleep.hpp"
#include "../../transports/json_text.hpp"
#include "../support/manual_clock.hpp"
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
  expect(number.queued() == 10_ul && text.queued() == 3_ul);
  channel.cancel(7, "late");
  expect(number.queued() > 10_ul && text.queued() == 3_ul) << "where it was asked";
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

task<void> cancels_one_of_several() {
  exchange_channel channel;
  listening side;
  auto opened = co_await channel.open(side);
  expect(opened.has_value());
  std::set<std::string, std::less<>> both{"1", "2"};
  http_reply reply{std::move(both), http_reply::form::events};
  channel.attach(reply);
  channel.deliver(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  expect(!channel.awaits("1") && channel.awaits("2"));
  channel.send({.line = "a\n", .about = "1", .answers = true});
  channel.send({.line = "bb\n", .about = "2", .answers = true});
  expect(reply.queued() == 2_ul) << "the other one is answered";
  channel.detach(reply);
  auto closed = co_await channel.close();
  expect(closed.has_value());
}

// Two sessions of one client, of which one reads nothing.
task<void> counts_what_is_unread() {
  constexpr std::size_t kilobyte = 1024;
  auto all = std::make_shared<unread_bytes>(500 * kilobyte);
  exchange_channel deaf{{.max_unread = 400 * kilobyte}, all};
  exchange_channel reads{{.max_unread = 400 * kilobyte}, all};
  listening side;
  listening other_side;
  auto opened = co_await deaf.open(side);
  auto other_opened = co_await reads.open(other_side);
  expect(opened.has_value() && other_opened.has_value());
  http_reply unread = reply_to("1");
  http_reply second = reply_to("2");
  http_reply own = reply_to("1");
  deaf.attach(unread);
  deaf.attach(second);
  reads.attach(own);
  const std::string news(10 * kilobyte, 'n');
  for (int i = 0; i < 1000; ++i) deaf.send({.line = news, .about = "1"});
  expect(deaf.queued() == 400 * kilobyte) << "progress and news beyond the limit are dropped" << deaf.queued();
  expect(all->bytes() == 336 * kilobyte) << "64 KiB of each session are not counted" << all->bytes();
  expect(deaf.queued_before({.line = "x", .about = "2"}) == 0_ul) << "that is another stream";
  expect(deaf.queued_before({.line = "x", .about = "1"}) == 400 * kilobyte);
  expect(deaf.crowded() && reads.crowded());
  expect(reads.has_room(200 * kilobyte) && !reads.has_room(240 * kilobyte)) << "the other one has what is left";
  expect(reads.has_room(64 * kilobyte) && !deaf.has_room(1));
  deaf.send({.line = "an answer", .about = "2", .answers = true});
  expect(second.queued() == 9_ul) << "an answer is never dropped here";
  deaf.detach(unread);
  expect(deaf.queued() == 9_ul && all->bytes() == 0_ul && !reads.crowded() && unread.queued() == 0_ul);
  deaf.detach(second);
  reads.detach(own);
  auto closed = co_await deaf.close();
  auto other_closed = co_await reads.close();
  expect(closed.has_value() && other_closed.has_value());
}

task<void> wait_into(exchange_channel& channel, std::optional<bool>& outcome) {
  auto room = co_await channel.uncrowded();
  outcome = room.has_value();
}

task<void> waits_for_room(loop& l) {
  auto all = std::make_shared<unread_bytes>(std::size_t{1} << 20);
  exchange_channel channel{{.max_unread = 4000, .unread_patience = std::chrono::seconds{2}}, all};
  listening side;
  auto opened = co_await channel.open(side);
  expect(opened.has_value());
  http_reply reply = reply_to("1");
  channel.attach(reply);
  channel.send({.line = std::string(2000, 'x'), .about = "1"});
  scope waiting{co_await this_context()};
  std::optional<bool> own;
  waiting.spawn(wait_into(channel, own));
  auto slept = co_await sleep_for(std::chrono::hours{1});
  expect(slept.has_value() && !own.has_value()) << "its own unread bytes are waited for without a limit";
  reply.drop();
  co_await waiting.join();
  expect(own == true);
  unread_bytes another{std::size_t{1} << 20, all};
  another.add(std::size_t{900} << 10);
  const time_point before = l.now();
  std::optional<bool> of_others;
  waiting.spawn(wait_into(channel, of_others));
  co_await waiting.join();
  expect(of_others == true && l.now() - before >= std::chrono::seconds{2}) << "those of others for two seconds";
  std::optional<bool> ended;
  reply.count_in(nullptr);
  another.remove(std::size_t{900} << 10);
  http_reply last = reply_to("2");
  channel.attach(last);
  channel.send({.line = std::string(2000, 'x'), .about = "2"});
  waiting.spawn(wait_into(channel, ended));
  auto turn = co_await sleep_for(std::chrono::seconds{1});
  expect(turn.has_value() && !ended.has_value());
  auto closed = co_await channel.close();
  expect(closed.has_value());
  co_await waiting.join();
  expect(ended == false) << "the end of the session ends the wait";
  channel.detach(reply);
  channel.detach(last);
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
  "a cancelled request of several leaves the others"_test = [] { run(cancels_one_of_several()); };
  "FRZ-8 what a client does not read is counted for it in all its sessions, and news are dropped beyond a limit"_test =
      [] { run(counts_what_is_unread()); };
  "FRZ-8 there is room for another answer when the client has read, and not for ever because of other sessions"_test =
      [] {
        hawser::testing::manual_clock clock;
        loop l{loop::options{.clock = &clock}};
        l.run(waits_for_room(l));
      };
  "one that ended before it began does not open"_test = [] { run(ended_before_it_began()); };
};

}  // namespace exchange_channel_test
