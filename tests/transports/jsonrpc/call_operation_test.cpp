// SPDX-License-Identifier: MIT
#include "../../../transports/jsonrpc/call_operation.hpp"

#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/async/timeout.hpp"
#include "../../support/every_step.hpp"
#include "../../support/manual_clock.hpp"
#include "../../support/peer_fixture.hpp"

namespace call_operation_test {

using namespace hawser;
using namespace hawser::testing;
using namespace std::chrono_literals;

task<void> no_hard_limit(loop& l) {
  peer_fixture h{l};
  co_await h.open();
  call_options options;
  options.idle_timeout = 10s;
  options.hard_timeout = duration::max();
  const outcome got = co_await one_call(
      h,
      {R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":ID,"progress":1}})",
       R"({"jsonrpc":"2.0","id":ID,"result":1})"},
      options);
  expect(got.text == "1") << (got.failure ? got.failure->what : "");
  co_await h.close();
}

task<void> stopped_call(peer_fixture& h) {
  outcome got;
  scope calls{co_await this_context()};
  calls.spawn(record_call(h.side, got, by_default));
  const std::string request = co_await h.far.next();
  calls.request_stop();
  co_await calls.join();
  expect(got.ends == 1_i && got.failure.has_value() && got.failure->code == errc::cancelled &&
         got.failure->executed == execution::unknown);
  const std::string note = co_await h.far.next();
  expect(find_member(note, "method") == "\"notifications/cancelled\"" && id_of(note).empty()) << note;
  expect(find_member(find_member(note, "params"), "requestId") == id_of(request));
  h.far.say(R"({"jsonrpc":"2.0","id":)" + id_of(request) + R"(,"result":1})");
  const outcome next = co_await one_call(h, {R"({"jsonrpc":"2.0","id":ID,"result":2})"});
  expect(next.text == "2" && h.side.counters().late == 1_u);
}

task<result<raw_json>> stopped_then_called(peer_fixture& h, std::stop_source& giving_up, bool& begun) {
  begun = true;
  giving_up.request_stop();  // as another thread would: the message to the loop is on its way
  co_return co_await h.side.call(echo, "{}", by_default);
}

// Before the task begins, and while it runs.
task<void> never_sent(peer_fixture& h) {
  std::stop_source giving_up;
  for (const bool stopped_before : {false, true}) {
    bool begun = false;
    auto answer = co_await with_stop(giving_up.get_token(), stopped_then_called(h, giving_up, begun));
    expect(begun && answer.has_error() && answer.error().code == errc::cancelled) << stopped_before;
    expect(answer.error().executed == execution::no) << stopped_before;
    expect(h.side.pending() == 0_ul);
  }
  h.side.notify("after");
  const std::string first = co_await h.far.next();
  expect(find_member(first, "method") == "\"after\"") << first;
}

task<void> initialize_is_not_cancelled(peer_fixture& h) {
  outcome got;
  scope calls{co_await this_context()};
  call_options options;
  options.on_abandon = call_options::cancellation_notice::omit;
  calls.spawn(record_call(h.side, got, options));
  const std::string request = co_await h.far.next();
  calls.request_stop();
  co_await calls.join();
  h.side.notify("after");
  const std::string note = co_await h.far.next();
  expect(find_member(note, "method") == "\"after\"") << note;
}

task<void> deadlines(loop& l, manual_clock& time) {
  peer_fixture h{l};
  co_await h.open();
  call_options options;
  options.idle_timeout = 10s;
  options.hard_timeout = 25s;
  std::vector<double> seen;
  options.on_progress = [&seen](const progress_update& u) { seen.push_back(u.progress); };
  outcome silent;
  outcome busy;
  scope calls{co_await this_context()};
  const time_point begin = time.now();
  calls.spawn(record_call(h.side, silent, options));
  calls.spawn(record_call(h.side, busy, options));
  const std::string first = co_await h.far.next();
  const std::string second = co_await h.far.next();
  for (int i = 1; i <= 4; ++i) {
    auto slept = co_await sleep_for(6s);
    expect(slept.has_value());
    h.far.say(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" + id_of(second) +
              R"(,"progress":)" + std::to_string(i) + R"(,"total":4,"message":"step"}})");
  }
  co_await calls.join();
  expect(silent.ends == 1_i && silent.failure.has_value() && silent.failure->code == errc::timed_out &&
         silent.failure->executed == execution::unknown);
  expect(busy.ends == 1_i && busy.failure.has_value() && busy.failure->code == errc::timed_out);
  expect(busy.failure->what.find("25000 ms") != std::string::npos) << busy.failure->what;
  expect(time.now() - begin == 25s);
  expect(seen == std::vector<double>{1, 2, 3, 4});
  const std::string told = co_await h.far.next();
  expect(find_member(find_member(told, "params"), "requestId") == id_of(first)) << told;
  co_await h.close();
}

task<void> odd_progress(peer_fixture& h) {
  std::vector<double> seen;
  call_options options;
  options.on_progress = [&seen](const progress_update& u) { seen.push_back(u.progress); };
  std::vector<std::string> says;
  const auto progress = [&](const std::string& token, const std::string& value) {
    says.push_back(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" + token +
                   R"(,"progress":)" + value + "}}");
  };
  progress("4242", "1");
  progress("\"ID\"", "1");
  progress("ID", "\"1\"");
  progress("ID", "0.5");
  progress("ID", "0.25");
  progress("ID", "0.5");
  progress("ID", "1e300");
  says.push_back(R"({"jsonrpc":"2.0","method":"notifications/progress"})");
  progress("ID", "1e400");  // beyond every number
  says.push_back(R"({"jsonrpc":"2.0","id":ID,"result":1})");
  const outcome got = co_await one_call(h, says, options);
  expect(got.text == "1");
  expect(seen == std::vector<double>{0.5, 1e300}) << seen.size();
}

task<void> progress_flood(peer_fixture& h) {
  int calls = 0;
  call_options options;
  options.on_progress = [&calls](const progress_update&) { ++calls; };
  std::vector<std::string> says;
  for (int i = 0; i < 20'000; ++i) {
    says.push_back(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":ID,"progress":)" +
                   std::to_string(i) + "}}");
  }
  says.push_back(R"({"jsonrpc":"2.0","id":ID,"result":1})");
  const outcome got = co_await one_call(h, says, options);
  expect(got.text == "1" && calls >= 1000_i && calls <= 5000_i) << calls;
}

task<void> throwing_progress(peer_fixture& h) {
  call_options options;
  options.on_progress = [](const progress_update&) { throw std::runtime_error{"of the embedder"}; };
  const outcome got = co_await one_call(
      h,
      {R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":ID,"progress":1}})",
       R"({"jsonrpc":"2.0","id":ID,"result":1})"},
      options);
  expect(got.text == "1");
}

task<void> closing_answers_everybody(peer_fixture& h) {
  scope calls{co_await this_context()};
  std::vector<outcome> got(3);
  for (outcome& o : got) calls.spawn(record_call(h.side, o, by_default));
  h.far.say(R"({"jsonrpc":"2.0","id":1,"method":"pending"})");
  for (int i = 0; i < 3; ++i) {
    const std::string request = co_await h.far.next();
    expect(!request.empty());
  }
  auto closed = co_await h.channels.second->close();
  expect(closed.has_value());
  co_await calls.join();
  for (const outcome& o : got)
    expect(o.ends == 1_i && o.failure.has_value() && o.failure->code == errc::closed &&
           o.failure->executed == execution::unknown);
  expect(h.heard.closed.size() == 1_ul && !h.heard.answers[0].wanted());
  outcome late;
  calls.spawn(record_call(h.side, late, by_default));
  co_await calls.join();
  expect(late.failure.has_value() && late.failure->code == errc::closed && late.failure->executed == execution::no);
}

task<void> a_call_with_everything(loop& l) {
  const counted alive;
  peer_fixture h{l};
  co_await h.open();
  outcome got;
  scope calls{co_await this_context()};
  calls.spawn(record_call(h.side, got, by_default));
  const std::string request = co_await h.far.next();
  if (!request.empty()) h.far.say(R"({"jsonrpc":"2.0","id":)" + id_of(request) + R"(,"result":1})");
  co_await calls.join();
  co_await h.close();
  expect(got.ends == 1_i);
}

const suite<"call_operation"> tests = [] {
  "a call without a hard limit may report progress"_test = [] {
    loop l;
    l.run(no_hard_limit(l));
  };
  "B03 a stopped call tells the server, ends at once, and its late answer is ignored"_test = [] {
    with_fixture(stopped_call);
  };
  "CLM-6 a call whose token was stopped before its bytes could leave is not sent"_test = [] {
    with_fixture(never_sent);
  };
  "initialize is given up in silence"_test = [] { with_fixture(initialize_is_not_cancelled); };
  "a silent call and one with endless progress both end by their deadlines"_test = [] {
    manual_clock time;
    loop l{loop::options{.clock = &time}};
    l.run(deadlines(l, time));
  };
  "B19 progress of nothing, backwards or malformed is ignored"_test = [] { with_fixture(odd_progress); };
  "B19 progress is shown at most a thousand times a second"_test = [] { with_fixture(progress_flood); };
  "a progress function that throws ends nothing"_test = [] { with_fixture(throwing_progress); };
  "A08 the end of the channel ends every call once, and says what is known"_test = [] {
    with_fixture(closing_answers_everybody);
  };
  "a call stopped at every step"_test = [] { every_step(a_call_with_everything); };
};

}  // namespace call_operation_test
