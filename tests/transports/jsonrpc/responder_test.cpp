// SPDX-License-Identifier: MIT
#include "../../../transports/jsonrpc/responder.hpp"

#include "../../../runtime/async/sleep.hpp"
#include "../../support/peer_fixture.hpp"

namespace responder_test {

using namespace hawser;
using namespace hawser::testing;
using namespace std::chrono_literals;

// A server that asks and never reads: what it is answered waits, up to the limit of everything else that waits.
task<void> asks_and_never_reads(loop& l) {
  auto both = memory_channel::make(l);
  class nothing final : public peer_listener {
  } nobody;
  peer side{l, *both.first, nobody, {.max_queued = 10'000}};
  auto opened = co_await both.first->open(side);
  expect(opened.has_value());
  for (int i = 0; i < 10'000; ++i) both.second->send_bytes("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
  for (int i = 0; i < 3; ++i) {
    auto slept = co_await sleep_for(1ms);
    expect(slept.has_value());
  }
  expect(both.first->queued() < 11'000_ul) << both.first->queued();
  auto closed = co_await both.first->close();
  expect(closed.has_value());
}

task<void> endless_ids(peer_fixture& h) {
  const std::string id(2000, 'x');
  h.far.say(R"({"jsonrpc":"2.0","id":")" + id + R"(","method":"ask"})");
  h.far.say(R"({"jsonrpc":"2.0","id":")" + id + R"(","method":"ask","params":[]})");
  h.far.say(R"({"jsonrpc":"2.0","id":"short","method":"ask"})");
  const outcome got = co_await one_call(h, {R"({"jsonrpc":"2.0","id":ID,"result":1})"});
  expect(got.text == "1" && h.heard.requests.size() == 1_ul && h.side.counters().refused == 1_u);
}

task<void> their_requests(peer_fixture& h) {
  h.far.say(R"({"jsonrpc":"2.0","id":"a\/b","method":"roots\/list","params":{"x":1}})");
  h.far.say(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  h.far.say(R"({"jsonrpc":"2.0","id":"1","method":"ping"})");
  h.far.say(R"({"jsonrpc":"2.0","id":1,"method":"again"})");
  const std::string refused = co_await h.far.next();
  expect(id_of(refused) == "1" && find_member(find_member(refused, "error"), "code") == "-32600");
  const std::vector<std::string> expected{R"(roots/list {"x":1})", "ping ", "ping "};
  expect(h.heard.requests == expected);
  h.heard.answers[1].result("{}");
  h.heard.answers[1].result("{\"second\":true}");
  h.heard.answers[0].fail(-1, "no \"roots\"", "[1]");
  h.heard.answers.pop_back();  // nobody answered it
  const std::string number = co_await h.far.next();
  const std::string text = co_await h.far.next();
  const std::string dropped = co_await h.far.next();
  expect(number == R"({"jsonrpc":"2.0","id":1,"result":{}})") << number;
  expect(text == R"({"jsonrpc":"2.0","id":"a/b","error":{"code":-1,"message":"no \"roots\"","data":[1]}})") << text;
  expect(id_of(dropped) == "\"1\"" && find_member(find_member(dropped, "error"), "code") == "-32603") << dropped;
}

task<void> unhandled_requests(loop& l) {
  auto both = memory_channel::make(l);
  class nothing final : public peer_listener {
  } nobody;
  peer side{l, *both.first, nobody};
  raw_end far{*both.second};
  auto a = co_await both.first->open(side);
  auto b = co_await far.open();
  far.say(R"({"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","params":{}})");
  far.say(R"({"jsonrpc":"2.0","method":"notifications/unknown"})");
  const std::string answer = co_await far.next();
  expect(a && b && id_of(answer) == "5" && find_member(find_member(answer, "error"), "code") == "-32601") << answer;
  auto c = co_await both.first->close();
  auto d = co_await both.second->close();
  expect(c && d);
}

task<void> their_cancellation(peer_fixture& h) {
  h.far.say(R"({"jsonrpc":"2.0","id":7,"method":"slow"})");
  h.far.say(R"({"jsonrpc":"2.0","id":8,"method":"slow"})");
  h.far.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})");
  h.far.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"8"}})");
  const outcome flush = co_await one_call(h, {R"({"jsonrpc":"2.0","id":ID,"result":1})"});
  expect(flush.text == "1");
  expect(!h.heard.answers[0].wanted() && h.heard.answers[0].stop().stop_requested());
  expect(h.heard.answers[1].wanted() && !h.heard.answers[1].stop().stop_requested());
  h.heard.answers[0].result("\"too late\"");
  h.heard.answers[1].result("\"in time\"");
  const std::string answer = co_await h.far.next();
  expect(answer == R"({"jsonrpc":"2.0","id":8,"result":"in time"})") << answer;
}

task<void> too_many(loop& l) {
  peer_fixture h{l, {.max_pending = 2, .max_incoming = 1}};
  co_await h.open();
  scope calls{co_await this_context()};
  std::vector<outcome> got(3);
  for (outcome& o : got) calls.spawn(record_call(h.side, o, by_default));
  h.far.say(R"({"jsonrpc":"2.0","id":1,"method":"a"})");
  h.far.say(R"({"jsonrpc":"2.0","id":2,"method":"b"})");
  for (int i = 0; i < 3; ++i) {
    const std::string message = co_await h.far.next();
    if (i == 2) expect(id_of(message) == "2" && find_member(message, "error").size() > 0_ul) << message;
  }
  expect(got[2].failure.has_value() && got[2].failure->code == errc::too_large &&
         got[2].failure->executed == execution::no);
  calls.request_stop();
  co_await calls.join();
  co_await h.close();
}

const suite<"responder"> tests = [] {
  "a side that asks and never reads cannot make answers pile up"_test = [] {
    loop l;
    l.run(asks_and_never_reads(l));
  };
  "a request with an endless id is neither kept nor answered"_test = [] { with_fixture(endless_ids); };
  "requests of the other side are answered under their own ids, once"_test = [] { with_fixture(their_requests); };
  "B21 a request that nobody handles is answered: no such method"_test = [] {
    loop l;
    l.run(unhandled_requests(l));
  };
  "a request that the other side cancels is stopped and not answered"_test = [] { with_fixture(their_cancellation); };
  "calls and requests beyond the limits are refused"_test = [] {
    loop l;
    l.run(too_many(l));
  };
};

}  // namespace responder_test
