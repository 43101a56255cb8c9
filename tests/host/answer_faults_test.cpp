// SPDX-License-Identifier: MIT
// Answers that are none, seen by who made the call: each call ends once, and the next one is answered as if nothing had
// been. Which bytes are what stands in the tests of the scanner and the peer.
#include "../support/hub_fixture.hpp"

namespace answer_faults_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::call_outcome;
using testing::contains;
using testing::hub_fixture;
using testing::manual_clock;
using testing::record_call;
using testing::with_hub;

using replies = std::vector<std::string>;

constexpr const char* fine = R"({"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"fine"}]}})";

// One call, and what the server says to it.
task<call_outcome> told(hub_fixture& h, replies lines, request_options settings = {}) {
  call_outcome got;
  scope calls{co_await this_context()};
  calls.spawn(record_call(h.of, got, "far__echo", "{}", settings));
  const std::string request = co_await h.far.next_call();
  for (std::string& line : lines) h.far.say(std::move(line), request);
  co_await calls.join();
  expect(got.ends == 1_i);
  co_return got;
}

// Whatever was said is passed over: the answer that follows it counts.
task<void> passed_over(hub_fixture& h, replies lines) {
  for (const std::string& line : lines) {
    replies both{line, fine};
    const call_outcome got = co_await told(h, std::move(both));
    expect(got.text == "fine") << line << got.said();
  }
}

// Whatever was said ends the call, and no other.
task<void> ends_it(hub_fixture& h, replies lines, errc code, execution executed) {
  for (const std::string& line : lines) {
    replies only{line};
    const call_outcome got = co_await told(h, std::move(only));
    expect(got.failed_with(code, executed)) << line.substr(0, 200) << got.said();
    replies next{fine};
    const call_outcome after = co_await told(h, std::move(next));
    expect(after.text == "fine") << after.said();
  }
  expect(h.far.connections == 1_ul);
}

task<void> unknown_ids(hub_fixture& h) {
  replies lines{R"({"jsonrpc":"2.0","id":999999,"result":{}})", R"({"jsonrpc":"2.0","id":"x","error":{"code":1}})"};
  co_await passed_over(h, std::move(lines));
}

task<void> twice(hub_fixture& h) {
  replies lines{fine, R"({"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"again"}]}})",
                R"({"jsonrpc":"2.0","id":ID,"error":{"code":-1,"message":"again"}})"};
  for (int i = 0; i < 3; ++i) {
    replies copy = lines;
    const call_outcome got = co_await told(h, std::move(copy));
    expect(got.text == "fine") << got.said();
  }
}

task<void> too_late(hub_fixture& h) {
  const request_options hasty{.timeout = 1s};
  const call_outcome got = co_await told(h, {}, hasty);
  expect(got.failed_with(errc::timed_out, execution::unknown)) << got.said();
  scope calls{co_await this_context()};
  std::stop_source giving_up;
  call_outcome cancelled;
  const request_options stoppable{.stop = giving_up.get_token()};
  calls.spawn(record_call(h.of, cancelled, "far__echo", "{}", stoppable));
  const std::string request = co_await h.far.next_call();
  giving_up.request_stop();
  co_await calls.join();
  expect(cancelled.failed_with(errc::cancelled, execution::unknown)) << cancelled.said();
  h.far.say(fine, request);
  replies next{fine};
  const call_outcome after = co_await told(h, std::move(next));
  expect(after.text == "fine") << after.said();
  std::size_t told_of = 0;
  for (const std::string& other : h.far.others) told_of += contains(other, "notifications/cancelled") ? 1 : 0;
  expect(told_of == 2_ul && h.of.status("far")->restarts == 0_ul);
}

task<void> text_id(hub_fixture& h) {
  replies lines{R"({"jsonrpc":"2.0","id":"ID","result":{"content":[{"type":"text","text":"fine"}]}})"};
  const call_outcome got = co_await told(h, std::move(lines));
  expect(got.text == "fine") << got.said();
}

task<void> strange_ids(hub_fixture& h) {
  replies lines;
  for (const std::string id : {"null", "ID.0", "1e1", "-1", "9223372036854775808", "{\"a\":1}", "[ID]", "true"})
    lines.push_back(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"content":[]}})");
  co_await passed_over(h, std::move(lines));
}

task<void> both_or_neither(hub_fixture& h) {
  replies lines{R"({"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":1,"message":"x"}})",
                R"({"jsonrpc":"2.0","id":ID})"};
  co_await ends_it(h, std::move(lines), errc::protocol, execution::unknown);
}

task<void> strange_errors(hub_fixture& h) {
  replies lines{R"({"jsonrpc":"2.0","id":ID,"error":{"code":1.5,"message":"half"}})",
                R"({"jsonrpc":"2.0","id":ID,"error":{"code":"E","data":[]}})",
                R"({"jsonrpc":"2.0","id":ID,"error":{"code":-7,"message":")" + std::string(1'000'000, 'm') + "\"}}"};
  for (const std::string& line : lines) {
    replies only{line};
    const call_outcome got = co_await told(h, std::move(only));
    expect(got.failed_with(errc::remote, execution::unknown)) << got.said();
    expect(!got.said().empty() && got.said().size() < 10'000_ul) << got.said().size();
  }
}

task<void> batch(hub_fixture& h) {
  replies lines{"[" + std::string{fine} + "]"};
  const request_options hasty{.timeout = 1s};
  const call_outcome got = co_await told(h, std::move(lines), hasty);
  expect(got.failed_with(errc::timed_out, execution::unknown)) << got.said();
  co_await passed_over(h, {"[]"});
}

task<void> other_versions(hub_fixture& h) {
  replies lines{R"({"id":ID,"result":{}})", R"({"jsonrpc":"1.0","id":ID,"result":{}})",
                R"({"jsonrpc":2.0,"id":ID,"result":{}})"};
  co_await ends_it(h, std::move(lines), errc::protocol, execution::unknown);
}

task<void> duplicate_keys(hub_fixture& h) {
  replies lines{R"({"jsonrpc":"2.0","id":ID,"result":{},"result":{}})",
                R"({"jsonrpc":"2.0","id":ID,"jsonrpc":"2.0","result":{}})"};
  co_await ends_it(h, std::move(lines), errc::protocol, execution::unknown);
  replies ambiguous{R"({"jsonrpc":"2.0","id":999999,"id":ID,"result":{}})"};
  const request_options hasty{.timeout = 1s};
  const call_outcome got = co_await told(h, std::move(ambiguous), hasty);
  expect(got.failure.has_value()) << got.said();
}

task<void> other_case(hub_fixture& h) {
  co_await ends_it(h, {R"({"jsonrpc":"2.0","id":ID,"Result":{"content":[]}})"}, errc::protocol, execution::unknown);
  co_await passed_over(h, {R"({"jsonrpc":"2.0","Id":ID,"result":{"content":[]}})"});
}

task<void> deep(hub_fixture& h) {
  replies lines;
  for (const std::size_t depth : {128UL, 10'000UL, 1'000'000UL})
    lines.push_back(R"({"jsonrpc":"2.0","id":ID,"result":)" + std::string(depth, '[') + std::string(depth, ']') + '}');
  for (std::string& line : lines) {
    replies only{std::move(line)};
    const call_outcome got = co_await told(h, std::move(only));
    expect(got.ends == 1_i && got.failure.has_value() && got.failure->executed == execution::unknown) << got.said();
  }
  replies next{fine};
  const call_outcome after = co_await told(h, std::move(next));
  expect(after.text == "fine" && h.far.connections == 1_ul) << after.said();
}

void with_far(testing::hub_body inside, host_settings settings = {}) {
  manual_clock clock;  // everything happens on this loop, so that time may jump when nothing happens
  with_hub(inside, std::move(settings), {}, &clock);
}

template <testing::hub_body inside>
task<void> connected(hub_fixture& h) {
  co_await h.add_in_process_server();
  co_await inside(h);
}

const suite<"answer faults"> tests = [] {
  "B01 an answer to nothing that was asked is dropped"_test = [] { with_far(connected<unknown_ids>); };
  "B02 of several answers the first one counts, once"_test = [] { with_far(connected<twice>); };
  "B03 the answer to a call that was given up is dropped"_test = [] { with_far(connected<too_late>); };
  "B04 an id that comes back as a string is understood"_test = [] { with_far(connected<text_id>); };
  "B05 ids that are none of ours match no call"_test = [] { with_far(connected<strange_ids>); };
  "B06 an answer with result and error, or with neither, ends that call"_test = [] {
    with_far(connected<both_or_neither>);
  };
  "B07 strange errors are delivered, cut to size"_test = [] { with_far(connected<strange_errors>); };
  "B08 a batch answers nothing and ends nothing"_test = [] { with_far(connected<batch>); };
  "B09 an answer of another JSON-RPC ends that call"_test = [] { with_far(connected<other_versions>); };
  "B10 an answer that says things twice ends that call"_test = [] { with_far(connected<duplicate_keys>); };
  "B11 names of members are compared exactly"_test = [] { with_far(connected<other_case>); };
  "B12 an answer nested too deeply ends that call and needs no stack"_test = [] { with_far(connected<deep>); };
};

}  // namespace answer_faults_test
