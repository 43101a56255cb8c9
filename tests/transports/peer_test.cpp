// SPDX-License-Identifier: MIT
#include "../../transports/peer.hpp"

#include <optional>
#include <set>

#include "../../runtime/scope.hpp"
#include "../../runtime/sleep.hpp"
#include "../../transports/json_text.hpp"
#include "../../transports/json_validator.hpp"
#include "../../transports/protocol.hpp"
#include "../support/counted.hpp"
#include "../support/every_step.hpp"
#include "../support/manual_clock.hpp"
#include "../support/raw_end.hpp"
#include "../support/run.hpp"
#include "../support/ut.hpp"

namespace {

using namespace hawser;
using namespace std::chrono_literals;
using testing::counted;
using testing::raw_end;

class listening final : public peer_listener {
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
struct house {
  explicit house(loop& l, peer_limits limits = {})
      : channels(memory_channel::make(l)), side(l, *channels.first, heard, limits), far(*channels.second) {}

  memory_channel::pair channels;
  listening heard;
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

std::string id_of(std::string_view message) { return std::string{find_member(message, "id")}; }

const prepared_request echo = prepared_request::tool_call("echo");
const call_options by_default;

// Ends as the call ends, and counts how often: exactly once is what every test here wants to see.
struct outcome {
  int ends = 0;
  std::string text;
  std::optional<error> failure;
};

task<void> call_into(peer& to, outcome& into, const call_options& options) {
  const counted alive;
  auto answer = co_await to.call(echo, R"({"text":"hi"})", options);
  ++into.ends;
  if (answer) {
    into.text = answer->text();
  } else {
    into.failure = answer.error();
  }
}

task<void> call_with(peer& to, outcome& into, std::string argument) {
  auto answer = co_await to.call(echo, argument, by_default);
  ++into.ends;
  if (answer) into.text = answer->text();
}

// One call; the test says what the far end does with its id; the call must have ended when that is done.
task<outcome> one_call(house& h, std::vector<std::string> replies, const call_options& options = by_default) {
  outcome got;
  scope calls{co_await this_context()};
  calls.spawn(call_into(h.side, got, options));
  const std::string request = co_await h.far.next();
  for (std::string reply : replies) {
    for (std::size_t at = 0; (at = reply.find("ID", at)) != std::string::npos;) reply.replace(at, 2, id_of(request));
    h.far.say(reply);
  }
  co_await calls.join();
  expect(got.ends == 1_i);
  co_return got;
}

using body = task<void> (*)(house&);

task<void> in_house(loop& l, body inside) {
  house h{l};
  co_await h.open();
  co_await inside(h);
  co_await h.close();
  expect(h.side.pending() == 0_ul);
}

void with_house(body inside) {
  loop l;
  l.run(in_house(l, inside));
}

task<void> request_text(house& h) {
  scope calls{co_await this_context()};
  outcome got;
  calls.spawn(call_into(h.side, got, by_default));
  const std::string request = co_await h.far.next();
  expect(
      request ==
      R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","_meta":{"progressToken":1},"arguments":{"text":"hi"}},"id":1})")
      << request;
  h.far.say(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  co_await calls.join();
  expect(got.text == R"({"content":[]})");
}

task<void> many_out_of_order(house& h) {
  scope calls{co_await this_context()};
  std::vector<outcome> got(100);
  for (outcome& o : got) calls.spawn(call_into(h.side, o, by_default));
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::string request = co_await h.far.next();
    ids.push_back(id_of(request));
  }
  expect(std::set<std::string>(ids.begin(), ids.end()).size() == got.size());
  for (std::size_t i = got.size(); i-- > 0;) {
    h.far.say(R"({"jsonrpc":"2.0","result":)" + std::to_string(i) + R"(,"id":)" + ids[i] + '}');
  }
  co_await calls.join();
  for (std::size_t i = 0; i < got.size(); ++i) expect(got[i].ends == 1_i && got[i].text == std::to_string(i));
}

task<void> unknown_ids(house& h) {
  const outcome got =
      co_await one_call(h, {R"({"jsonrpc":"2.0","id":999999999,"result":{}})",
                            R"({"jsonrpc":"2.0","id":-1,"result":1})", R"({"jsonrpc":"2.0","id":ID,"result":"mine"})"});
  expect(got.text == "\"mine\"" && h.side.counters().unknown_ids == 2_u);
}

task<void> second_answer(house& h) {
  const outcome got = co_await one_call(
      h, {R"({"jsonrpc":"2.0","id":ID,"result":"first"})", R"({"jsonrpc":"2.0","id":ID,"result":"second"})"});
  expect(got.text == "\"first\"");
  // The slot is used again; the old id must not reach the new call.
  const outcome next = co_await one_call(
      h, {R"({"jsonrpc":"2.0","id":1,"result":"old"})", R"({"jsonrpc":"2.0","id":ID,"result":"new"})"});
  expect(next.text == "\"new\"" && h.side.counters().late == 2_u && h.side.counters().unknown_ids == 0_u);
}

task<void> text_id(house& h) {
  const outcome got = co_await one_call(h, {R"({"jsonrpc":"2.0","id":"ID","result":7})"});
  expect(got.text == "7" && h.side.counters().text_ids == 1_u);
}

task<void> strange_ids(house& h) {
  const outcome got = co_await one_call(
      h, {R"({"jsonrpc":"2.0","id":null,"result":0})", R"({"jsonrpc":"2.0","id":ID.0,"result":0})",
          R"({"jsonrpc":"2.0","id":1e0,"result":0})", R"({"jsonrpc":"2.0","id":9223372036854775808,"result":0})",
          R"({"jsonrpc":"2.0","id":{"a":ID},"result":0})", R"({"jsonrpc":"2.0","id":[ID],"result":0})",
          R"({"jsonrpc":"2.0","id":"","result":0})", R"({"jsonrpc":"2.0","id":true,"result":0})",
          R"({"jsonrpc":"2.0","id":ID,"result":"right"})"});
  expect(got.text == "\"right\"");
}

task<void> both_or_neither(house& h) {
  const outcome both =
      co_await one_call(h, {R"({"jsonrpc":"2.0","id":ID,"result":1,"error":{"code":1,"message":"m"}})"});
  expect(both.failure.has_value() && both.failure->code == errc::protocol &&
         both.failure->executed == execution::unknown);
  const outcome neither = co_await one_call(h, {R"({"jsonrpc":"2.0","id":ID})"});
  expect(neither.failure.has_value() && neither.failure->code == errc::protocol);
  const outcome version = co_await one_call(h, {R"({"jsonrpc":"1.0","id":ID,"result":1})"});
  expect(version.failure.has_value() && version.failure->code == errc::protocol);
  const outcome none = co_await one_call(h, {R"({"id":ID,"result":1})"});
  expect(none.failure.has_value() && none.failure->code == errc::protocol);
  expect(h.side.counters().malformed == 4_u);
}

task<void> odd_errors(house& h) {
  const outcome plain = co_await one_call(
      h, {R"({"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"no such tool","data":{"a":1}}})"});
  expect(plain.failure.has_value() && plain.failure->code == errc::remote && plain.failure->native == -32602_i);
  expect(plain.failure->what == "no such tool" && plain.failure->data == R"({"a":1})" &&
         plain.failure->executed == execution::unknown);
  const outcome unknown_method =
      co_await one_call(h, {R"({"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"what?"}})"});
  expect(unknown_method.failure.has_value() && unknown_method.failure->executed == execution::no);
  const outcome text_code = co_await one_call(h, {R"({"jsonrpc":"2.0","id":ID,"error":{"code":"E1"}})"});
  expect(text_code.failure.has_value() && text_code.failure->code == errc::remote && text_code.failure->native == 0_i);
  expect(!text_code.failure->what.empty() && text_code.failure->executed == execution::unknown);
  const outcome no_object = co_await one_call(h, {R"({"jsonrpc":"2.0","id":ID,"error":"broken"})"});
  expect(no_object.failure.has_value() && no_object.failure->code == errc::remote);
  const std::string huge(1'000'000, 'x');
  const outcome large =
      co_await one_call(h, {R"({"jsonrpc":"2.0","id":ID,"error":{"code":99999999999,"message":")" + huge + "\"}}"});
  expect(large.failure.has_value() && large.failure->what.size() < 5000_ul && large.failure->native == 0_i);
}

task<void> batches(house& h) {
  const outcome refused =
      co_await one_call(h, {R"([{"jsonrpc":"2.0","id":ID,"result":1}])", R"({"jsonrpc":"2.0","id":ID,"result":2})"});
  expect(refused.text == "2");
  h.channels.first->negotiated({.revision = std::string{protocol::revision::v2025_03_26}});
  const outcome taken =
      co_await one_call(h, {R"([{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":ID,"result":3}])"});
  expect(taken.text == "3" && h.heard.notifications == std::vector<std::string>{"x "});
  h.channels.first->negotiated({.revision = std::string{protocol::revision::v2025_06_18}});
  const outcome again =
      co_await one_call(h, {R"([{"jsonrpc":"2.0","id":ID,"result":4}])", R"({"jsonrpc":"2.0","id":ID,"result":5})"});
  expect(again.text == "5");
}

task<void> indented_batch(house& h) {
  h.channels.first->negotiated({.revision = std::string{protocol::revision::v2025_03_26}});
  const outcome got = co_await one_call(h, {" \t [{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":3}]"});
  expect(got.text == "3");
}

// Valid JSON may have line breaks between its tokens; on the wire they would end the message, and what stands between
// two of them would be one of its own.
task<void> line_breaks(house& h) {
  const std::string smuggled = "{\"a\":\n{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"evil\"}\r\n}";
  scope calls{co_await this_context()};
  outcome got;
  calls.spawn(call_with(h.side, got, smuggled));
  const std::string request = co_await h.far.next();
  expect(validate_json(request).has_value() && find_member(request, "method") == "\"tools/call\"") << request;
  h.side.notify("note", smuggled);
  const std::string note = co_await h.far.next();
  expect(validate_json(note).has_value() && find_member(note, "method") == "\"note\"") << note;
  h.far.say(R"({"jsonrpc":"2.0","id":5,"method":"ask"})");
  h.far.say(R"({"jsonrpc":"2.0","id":)" + id_of(request) + R"(,"result":1})");
  co_await calls.join();
  h.heard.answers[0].result(smuggled);
  const std::string answer = co_await h.far.next();
  expect(validate_json(answer).has_value() && id_of(answer) == "5") << answer;
}

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

task<void> endless_ids(house& h) {
  const std::string id(2000, 'x');
  h.far.say(R"({"jsonrpc":"2.0","id":")" + id + R"(","method":"ask"})");
  h.far.say(R"({"jsonrpc":"2.0","id":")" + id + R"(","method":"ask","params":[]})");
  h.far.say(R"({"jsonrpc":"2.0","id":"short","method":"ask"})");
  const outcome got = co_await one_call(h, {R"({"jsonrpc":"2.0","id":ID,"result":1})"});
  expect(got.text == "1" && h.heard.requests.size() == 1_ul && h.side.counters().refused == 1_u);
}

task<void> no_hard_limit(loop& l) {
  house h{l};
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

// Loggers write objects, too, and number them.
task<void> log_line_with_an_id(house& h) {
  const outcome got =
      co_await one_call(h, {R"({"level":"info","id":ID,"msg":"GET /"})", R"({"jsonrpc":"2.0","id":ID,"result":1})"});
  expect(got.text == "1") << (got.failure ? got.failure->what : "");
}

task<void> many_large_at_once(house& h) {
  const std::string line = R"({"jsonrpc":"2.0","method":"n","params":{"x":")" + std::string(70'000, 'x') + "\"}}";
  const time_point begin = steady_clock{}.now();
  for (int i = 0; i < 1000; ++i) h.far.say(line);
  const outcome got = co_await one_call(h, {R"({"jsonrpc":"2.0","id":ID,"result":1})"});
  expect(got.text == "1" && h.heard.notifications.size() == 1000_ul);
  const auto took = steady_clock{}.now() - begin;
  expect(took < 2s) << std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
}

task<void> bad_bytes(house& h) {
  const outcome before = co_await one_call(h, {"{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":\"\xC3\x28\"}"});
  expect(before.failure.has_value() && before.failure->code == errc::protocol);
  const outcome behind = co_await one_call(h, {"{\"jsonrpc\":\"2.0\",\"result\":\"\xFF\",\"id\":ID}"});
  expect(behind.failure.has_value() && behind.failure->code == errc::protocol);
  const outcome deep = co_await one_call(
      h, {R"({"jsonrpc":"2.0","id":ID,"result":)" + std::string(10'000, '[') + std::string(10'000, ']') + '}'});
  expect(deep.failure.has_value() && deep.failure->code == errc::too_large) << deep.failure->what;
  const outcome twice = co_await one_call(
      h, {R"({"jsonrpc":"2.0","id":ID,"id":ID,"result":1})", R"({"jsonrpc":"2.0","id":ID,"result":2})"});
  expect(twice.text == "2");
  const outcome folded = co_await one_call(h, {R"({"jsonrpc":"2.0","ID":ID,"id":ID,"Result":1})"});
  expect(folded.failure.has_value() && folded.failure->code == errc::protocol);
  // A request of theirs that is broken is not the answer to a call of ours with the same id.
  const outcome theirs = co_await one_call(
      h, {R"({"jsonrpc":"2.0","method":"x","id":ID,"params":[1]})", R"({"jsonrpc":"2.0","id":ID,"result":1})"});
  expect(theirs.text == "1");
  const std::string complaint = co_await h.far.next();
  expect(find_member(find_member(complaint, "error"), "code") == "-32600") << complaint;
}

task<void> large_result_is_moved(house& h) {
  const std::string text(300'000, 'y');
  const outcome got = co_await one_call(h, {R"({"jsonrpc":"2.0","id":ID,"result":")" + text + "\"}"});
  expect(got.text.size() == text.size() + 2);
  expect(bool{got.text == '"' + text + '"'});
}

// Stopped and timed-out calls

task<void> stopped_call(house& h) {
  outcome got;
  scope calls{co_await this_context()};
  calls.spawn(call_into(h.side, got, by_default));
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

task<void> initialize_is_not_cancelled(house& h) {
  outcome got;
  scope calls{co_await this_context()};
  call_options options;
  options.when_stopped = call_options::giving_up::is_silent;
  calls.spawn(call_into(h.side, got, options));
  const std::string request = co_await h.far.next();
  calls.request_stop();
  co_await calls.join();
  h.side.notify("after");
  const std::string note = co_await h.far.next();
  expect(find_member(note, "method") == "\"after\"") << note;
}

task<void> deadlines(loop& l, testing::manual_clock& time) {
  house h{l};
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
  calls.spawn(call_into(h.side, silent, options));
  calls.spawn(call_into(h.side, busy, options));
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

task<void> odd_progress(house& h) {
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

task<void> progress_flood(house& h) {
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

task<void> throwing_progress(house& h) {
  call_options options;
  options.on_progress = [](const progress_update&) { throw std::runtime_error{"of the embedder"}; };
  const outcome got = co_await one_call(
      h,
      {R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":ID,"progress":1}})",
       R"({"jsonrpc":"2.0","id":ID,"result":1})"},
      options);
  expect(got.text == "1");
}

// The other side's requests

task<void> their_requests(house& h) {
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

task<void> their_cancellation(house& h) {
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

// The end

task<void> closing_answers_everybody(house& h) {
  scope calls{co_await this_context()};
  std::vector<outcome> got(3);
  for (outcome& o : got) calls.spawn(call_into(h.side, o, by_default));
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
  calls.spawn(call_into(h.side, late, by_default));
  co_await calls.join();
  expect(late.failure.has_value() && late.failure->code == errc::closed && late.failure->executed == execution::no);
}

task<void> too_many(loop& l) {
  house h{l, {.max_pending = 2, .max_incoming = 1}};
  co_await h.open();
  scope calls{co_await this_context()};
  std::vector<outcome> got(3);
  for (outcome& o : got) calls.spawn(call_into(h.side, o, by_default));
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

task<void> a_call_with_everything(loop& l) {
  const counted alive;
  house h{l};
  co_await h.open();
  outcome got;
  scope calls{co_await this_context()};
  calls.spawn(call_into(h.side, got, by_default));
  const std::string request = co_await h.far.next();
  if (!request.empty()) h.far.say(R"({"jsonrpc":"2.0","id":)" + id_of(request) + R"(,"result":1})");
  co_await calls.join();
  co_await h.close();
  expect(got.ends == 1_i);
}

const suite<"peer"> tests = [] {
  "a batch may be indented"_test = [] { with_house(indented_batch); };
  "line breaks inside JSON do not break the message"_test = [] { with_house(line_breaks); };
  "a side that asks and never reads cannot make answers pile up"_test = [] {
    loop l;
    l.run(asks_and_never_reads(l));
  };
  "a request with an endless id is neither kept nor answered"_test = [] { with_house(endless_ids); };
  "a call without a hard limit may report progress"_test = [] {
    loop l;
    l.run(no_hard_limit(l));
  };
  "a log line with an id is no answer"_test = [] { with_house(log_line_with_an_id); };
  "many large messages at once take linear time"_test = [] { with_house(many_large_at_once); };

  "a tool call is one line with its id, its progress token and its arguments"_test = [] { with_house(request_text); };
  "a hundred calls answered in reverse get each its own answer"_test = [] { with_house(many_out_of_order); };
  "B01 an answer to nothing that was asked is dropped and counted"_test = [] { with_house(unknown_ids); };
  "B02 the first of two answers counts, and an old id never reaches a new call"_test = [] {
    with_house(second_answer);
  };
  "B03 a stopped call tells the server, ends at once, and its late answer is ignored"_test = [] {
    with_house(stopped_call);
  };
  "B04 an id that comes back as a string is understood and counted"_test = [] { with_house(text_id); };
  "B05 null, fractions, exponents, 2^63 and containers as ids never match"_test = [] { with_house(strange_ids); };
  "B06 B09 both result and error, neither, or another version end that call"_test = [] { with_house(both_or_neither); };
  "B07 strange errors are delivered, cut to size"_test = [] { with_house(odd_errors); };
  "B08 a batch counts in 2025-03-26 only, and elsewhere ends nothing"_test = [] { with_house(batches); };
  "A21 B10 B11 B12 a broken answer ends the call whose id can be read"_test = [] { with_house(bad_bytes); };
  "a large result is handed over whole"_test = [] { with_house(large_result_is_moved); };
  "initialize is given up in silence"_test = [] { with_house(initialize_is_not_cancelled); };
  "a silent call and one with endless progress both end by their deadlines"_test = [] {
    testing::manual_clock time;
    loop l{loop::options{.clock = &time}};
    l.run(deadlines(l, time));
  };
  "B19 progress of nothing, backwards or malformed is ignored"_test = [] { with_house(odd_progress); };
  "B19 progress is shown at most a thousand times a second"_test = [] { with_house(progress_flood); };
  "a progress function that throws ends nothing"_test = [] { with_house(throwing_progress); };
  "requests of the other side are answered under their own ids, once"_test = [] { with_house(their_requests); };
  "B21 a request that nobody handles is answered: no such method"_test = [] {
    loop l;
    l.run(unhandled_requests(l));
  };
  "a request that the other side cancels is stopped and not answered"_test = [] { with_house(their_cancellation); };
  "A08 the end of the channel ends every call once, and says what is known"_test = [] {
    with_house(closing_answers_everybody);
  };
  "calls and requests beyond the limits are refused"_test = [] {
    loop l;
    l.run(too_many(l));
  };
  "a call stopped at every step"_test = [] { testing::every_step(a_call_with_everything); };
};

}  // namespace
