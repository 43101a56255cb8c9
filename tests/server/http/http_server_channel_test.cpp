// SPDX-License-Identifier: MIT
#include "../../../server/http/http_server_channel.hpp"

#include <set>

#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../../transports/json/json_text.hpp"
#include "../../support/manual_clock.hpp"
#include "../../support/run.hpp"
#include "../../support/ut.hpp"

namespace http_server_channel_test {

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

server_response reply_to(const char* id) {
  std::set<std::string, std::less<>> expected{id};
  return server_response{std::move(expected)};
}

task<void> finds_the_way() {
  http_server_channel channel;
  listening side;
  auto opened = co_await channel.open(side);
  expect(opened.has_value());
  server_response number = reply_to("1");
  server_response text = reply_to("\"1\"");
  channel.attach(number);
  channel.attach(text);
  expect(channel.expects_response("1") && channel.expects_response("\"1\"") && !channel.expects_response("2"));
  channel.send({.line = "12345\n", .related_request = "1"});
  channel.send({.line = "123\n", .related_request = "\"1\"", .is_response = true});
  expect(number.queued() == 5_ul && text.queued() == 3_ul && channel.queued() == 8_ul);
  expect(!channel.expects_response("\"1\"")) << "answered";
  channel.send({.line = "more\n", .related_request = "\"1\""});
  expect(text.queued() == 3_ul) << "nothing follows an answer";
  channel.send({.line = "asked\n", .request = 7, .related_request = "1"});
  expect(number.queued() == 10_ul && text.queued() == 3_ul);
  channel.cancel(7, "late");
  expect(number.queued() > 10_ul && text.queued() == 3_ul) << "where it was asked";
  channel.detach(number);
  expect(channel.queued() == 3_ul) << "what somebody did not read is nobody's";
  channel.send({.line = "lost\n", .related_request = "1", .is_response = true});
  channel.detach(text);
  auto closed = co_await channel.close();
  expect(closed.has_value() && side.closed.has_value());
}

task<void> keeps_what_is_unasked() {
  http_server_channel channel;
  listening side;
  auto opened = co_await channel.open(side);
  expect(opened.has_value());
  for (int i = 0; i < 1000; ++i) channel.send({.line = "0123456789\n"});
  channel.send(
      {.line = "question\n", .request = 1, .related_request = "9"});  // of a call that the client has let go of
  expect(channel.queued() == 0_ul) << "nobody has to wait for it";
  std::set<std::string, std::less<>> nothing;
  server_response stream{std::move(nothing), server_response::form::events};
  channel.listen(stream);
  expect(stream.queued() == 638_ul) << "the latest ones";
  channel.unlisten(stream);
  channel.send({.line = std::string(1'000'000, 'x')});
  server_response second{{}, server_response::form::events};
  channel.listen(second);
  expect(second.queued() == 0_ul) << "a large one is not kept";
  channel.unlisten(second);
  auto closed = co_await channel.close();
  expect(closed.has_value());
}

task<void> hears_of_cancelling() {
  http_server_channel channel;
  listening side;
  auto opened = co_await channel.open(side);
  expect(opened.has_value());
  server_response one = reply_to("1");
  channel.attach(one);
  channel.deliver(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}})");
  channel.send({.line = "a\n", .related_request = "1"});
  expect(one.queued() == 1_ul) << "that was another id";
  channel.deliver(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  channel.send({.line = "b\n", .related_request = "1"});
  expect(one.queued() == 1_ul && side.heard.size() == 2_ul);
  channel.detach(one);
  auto closed = co_await channel.close();
  expect(closed.has_value());
}

task<void> cancels_one_of_several() {
  http_server_channel channel;
  listening side;
  auto opened = co_await channel.open(side);
  expect(opened.has_value());
  std::set<std::string, std::less<>> both{"1", "2"};
  server_response reply{std::move(both), server_response::form::events};
  channel.attach(reply);
  channel.deliver(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  expect(!channel.expects_response("1") && channel.expects_response("2"));
  channel.send({.line = "a\n", .related_request = "1", .is_response = true});
  channel.send({.line = "bb\n", .related_request = "2", .is_response = true});
  expect(reply.queued() == 2_ul) << "the other one is answered";
  channel.detach(reply);
  auto closed = co_await channel.close();
  expect(closed.has_value());
}

// Two sessions of one client, of which one reads nothing.
task<void> counts_what_is_unread() {
  constexpr std::size_t kilobyte = 1024;
  auto all = std::make_shared<send_backlog>(500 * kilobyte);
  http_server_channel deaf{{.max_unread = 400 * kilobyte}, all};
  http_server_channel reads{{.max_unread = 400 * kilobyte}, all};
  listening side;
  listening other_side;
  auto opened = co_await deaf.open(side);
  auto other_opened = co_await reads.open(other_side);
  expect(opened.has_value() && other_opened.has_value());
  server_response unread = reply_to("1");
  server_response second = reply_to("2");
  server_response own = reply_to("1");
  deaf.attach(unread);
  deaf.attach(second);
  reads.attach(own);
  const std::string news(10 * kilobyte, 'n');
  for (int i = 0; i < 1000; ++i) deaf.send({.line = news, .related_request = "1"});
  expect(deaf.queued() == 400 * kilobyte) << "progress and news beyond the limit are dropped" << deaf.queued();
  expect(all->bytes() == 336 * kilobyte) << "64 KiB of each session are not counted" << all->bytes();
  expect(deaf.queued_before({.line = "x", .related_request = "2"}) == 0_ul) << "that is another stream";
  expect(deaf.queued_before({.line = "x", .related_request = "1"}) == 400 * kilobyte);
  expect(deaf.congested() && reads.congested());
  expect(reads.has_room(200 * kilobyte) && !reads.has_room(240 * kilobyte)) << "the other one has what is left";
  expect(reads.has_room(64 * kilobyte) && !deaf.has_room(1));
  deaf.send({.line = "an answer", .related_request = "2", .is_response = true});
  expect(second.queued() == 9_ul) << "an answer is never dropped here";
  deaf.detach(unread);
  expect(deaf.queued() == 9_ul && all->bytes() == 0_ul && !reads.congested() && unread.queued() == 0_ul);
  deaf.detach(second);
  reads.detach(own);
  auto closed = co_await deaf.close();
  auto other_closed = co_await reads.close();
  expect(closed.has_value() && other_closed.has_value());
}

task<void> wait_into(http_server_channel& channel, std::optional<bool>& outcome) {
  auto room = co_await channel.until_uncongested();
  outcome = room.has_value();
}

task<void> waits_for_room(loop& l) {
  auto all = std::make_shared<send_backlog>(std::size_t{1} << 20);
  http_server_channel channel{{.max_unread = 4000, .backlog_timeout = std::chrono::seconds{2}}, all};
  listening side;
  auto opened = co_await channel.open(side);
  expect(opened.has_value());
  server_response reply = reply_to("1");
  channel.attach(reply);
  channel.send({.line = std::string(2000, 'x'), .related_request = "1"});
  scope waiting{co_await this_context()};
  std::optional<bool> own;
  waiting.spawn(wait_into(channel, own));
  auto slept = co_await sleep_for(std::chrono::hours{1});
  expect(slept.has_value() && !own.has_value()) << "its own unread bytes are waited for without a limit";
  reply.drop();
  co_await waiting.join();
  expect(own == true);
  send_backlog another{std::size_t{1} << 20, all};
  another.add(std::size_t{900} << 10);
  const time_point before = l.now();
  std::optional<bool> of_others;
  waiting.spawn(wait_into(channel, of_others));
  co_await waiting.join();
  expect(of_others == true && l.now() - before >= std::chrono::seconds{2}) << "those of others for two seconds";
  std::optional<bool> ended;
  reply.count_in(nullptr);
  another.remove(std::size_t{900} << 10);
  server_response last = reply_to("2");
  channel.attach(last);
  channel.send({.line = std::string(2000, 'x'), .related_request = "2"});
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
  http_server_channel channel;
  listening side;
  channel.end(error{.code = errc::closed, .what = "enough"});
  auto opened = co_await channel.open(side);
  auto ready = co_await channel.wait_until_open();
  expect(!opened.has_value() && !ready.has_value() && !side.closed.has_value());
  auto closed = co_await channel.close();
  expect(closed.has_value());
}

const suite<"http_server_channel"> tests = [] {
  "a response goes to the HTTP request that waits for it"_test = [] { run(finds_the_way()); };
  "unsolicited messages are kept for a limited time and size"_test = [] { run(keeps_what_is_unasked()); };
  "a cancelled request ends its HTTP exchange"_test = [] { run(hears_of_cancelling()); };
  "a cancelled request of several leaves the others"_test = [] { run(cancels_one_of_several()); };
  "FRZ-8 what a client does not read is counted for it in all its sessions, and news are dropped beyond a limit"_test =
      [] { run(counts_what_is_unread()); };
  "FRZ-8 there is room for another answer when the client has read, and not for ever because of other sessions"_test =
      [] {
        hawser::testing::manual_clock clock;
        loop l{loop::options{.clock = &clock}};
        l.run(waits_for_room(l));
      };
  "a channel that was closed before open() does not open"_test = [] { run(ended_before_it_began()); };
};

}  // namespace http_server_channel_test
