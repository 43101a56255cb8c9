// SPDX-License-Identifier: MIT
#include "../../../transports/jsonrpc/peer.hpp"

#include <set>

#include "../../../transports/json/json_validator.hpp"
#include "../../../transports/jsonrpc/protocol.hpp"
#include "../../support/cpu_time.hpp"
#include "../../support/peer_fixture.hpp"

namespace peer_test {

using namespace hawser;
using namespace hawser::testing;
using namespace std::chrono_literals;

task<void> request_text(peer_fixture& h) {
  scope calls{co_await this_context()};
  outcome got;
  calls.spawn(record_call(h.side, got, by_default));
  const std::string request = co_await h.far.next();
  expect(
      request ==
      R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","_meta":{"progressToken":1},"arguments":{"text":"hi"}},"id":1})")
      << request;
  h.far.say(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  co_await calls.join();
  expect(got.text == R"({"content":[]})");
}

task<void> many_out_of_order(peer_fixture& h) {
  scope calls{co_await this_context()};
  std::vector<outcome> got(100);
  for (outcome& o : got) calls.spawn(record_call(h.side, o, by_default));
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

task<void> unknown_ids(peer_fixture& h) {
  const outcome got =
      co_await one_call(h, {R"({"jsonrpc":"2.0","id":999999999,"result":{}})",
                            R"({"jsonrpc":"2.0","id":-1,"result":1})", R"({"jsonrpc":"2.0","id":ID,"result":"mine"})"});
  expect(got.text == "\"mine\"" && h.side.counters().unknown_ids == 2_u);
}

task<void> second_answer(peer_fixture& h) {
  const outcome got = co_await one_call(
      h, {R"({"jsonrpc":"2.0","id":ID,"result":"first"})", R"({"jsonrpc":"2.0","id":ID,"result":"second"})"});
  expect(got.text == "\"first\"");
  // The slot is used again; the old id must not reach the new call.
  const outcome next = co_await one_call(
      h, {R"({"jsonrpc":"2.0","id":1,"result":"old"})", R"({"jsonrpc":"2.0","id":ID,"result":"new"})"});
  expect(next.text == "\"new\"" && h.side.counters().late == 2_u && h.side.counters().unknown_ids == 0_u);
}

task<void> text_id(peer_fixture& h) {
  const outcome got = co_await one_call(h, {R"({"jsonrpc":"2.0","id":"ID","result":7})"});
  expect(got.text == "7" && h.side.counters().text_ids == 1_u);
}

task<void> strange_ids(peer_fixture& h) {
  const outcome got = co_await one_call(
      h, {R"({"jsonrpc":"2.0","id":null,"result":0})", R"({"jsonrpc":"2.0","id":ID.0,"result":0})",
          R"({"jsonrpc":"2.0","id":1e0,"result":0})", R"({"jsonrpc":"2.0","id":9223372036854775808,"result":0})",
          R"({"jsonrpc":"2.0","id":{"a":ID},"result":0})", R"({"jsonrpc":"2.0","id":[ID],"result":0})",
          R"({"jsonrpc":"2.0","id":"","result":0})", R"({"jsonrpc":"2.0","id":true,"result":0})",
          R"({"jsonrpc":"2.0","id":ID,"result":"right"})"});
  expect(got.text == "\"right\"");
}

task<void> both_or_neither(peer_fixture& h) {
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

task<void> odd_errors(peer_fixture& h) {
  const outcome plain = co_await one_call(
      h, {R"({"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"no such tool","data":{"a":1}}})"});
  expect(plain.failure.has_value() && plain.failure->code == errc::remote && plain.failure->native == -32602_i);
  expect(plain.failure->what == "no such tool" && plain.failure->data == R"({"a":1})" &&
         plain.failure->executed == execution::unknown);
  const outcome unknown_method =
      co_await one_call(h, {R"({"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"what?"}})"});
  expect(unknown_method.failure.has_value() && unknown_method.failure->executed == execution::unknown);
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

task<void> batches(peer_fixture& h) {
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

task<void> indented_batch(peer_fixture& h) {
  h.channels.first->negotiated({.revision = std::string{protocol::revision::v2025_03_26}});
  const outcome got = co_await one_call(h, {" \t [{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":3}]"});
  expect(got.text == "3");
}

// Valid JSON may have line breaks between its tokens; on the wire they would end the message, and what stands between
// two of them would be one of its own.
task<void> line_breaks(peer_fixture& h) {
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

// Loggers write objects, too, and number them.
task<void> log_line_with_an_id(peer_fixture& h) {
  const outcome got =
      co_await one_call(h, {R"({"level":"info","id":ID,"msg":"GET /"})", R"({"jsonrpc":"2.0","id":ID,"result":1})"});
  expect(got.text == "1") << (got.failure ? got.failure->what : "");
}

task<void> many_large_at_once(peer_fixture& h) {
  const std::string line = R"({"jsonrpc":"2.0","method":"n","params":{"x":")" + std::string(70'000, 'x') + "\"}}";
  const time_point begin = steady_clock{}.now();
  for (int i = 0; i < 1000; ++i) h.far.say(line);
  const outcome got = co_await one_call(h, {R"({"jsonrpc":"2.0","id":ID,"result":1})"});
  expect(got.text == "1" && h.heard.notifications.size() == 1000_ul);
  const auto took = steady_clock{}.now() - begin;
  // Seventy megabytes: under a sanitizer, on a busy machine, seconds are linear, too.
  expect(took < (testing::instrumented ? 10s : 2s))
      << std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
}

task<void> bad_bytes(peer_fixture& h) {
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

task<void> large_result_is_moved(peer_fixture& h) {
  const std::string text(300'000, 'y');
  const outcome got = co_await one_call(h, {R"({"jsonrpc":"2.0","id":ID,"result":")" + text + "\"}"});
  expect(got.text.size() == text.size() + 2);
  expect(bool{got.text == '"' + text + '"'});
}

// Foreign ids that are as alike as they can be: each is compared with few others.
task<void> many_unanswered(peer_fixture& h) {
  const std::string beginning(1000, 'i');
  const auto ask = [&](int id) {
    h.far.say(R"({"jsonrpc":"2.0","method":"x","id":")" + beginning + std::to_string(id) + "\"}");
  };
  for (int id = 1; id <= 1024; ++id) ask(id);
  const auto before = thread_cpu_time();
  constexpr int more = 20'000;
  for (int id = 1; id <= more; ++id) ask(id <= more / 2 ? 1024 : 1024 + id);
  std::string last;
  for (int id = 1; id <= more; ++id) last = co_await h.far.next();
  const auto took = thread_cpu_time() - before;
  expect(h.heard.requests.size() == 1024_ul && h.side.counters().refused == std::uint64_t{more});
  expect(find_member(find_member(last, "error"), "code") == "-32600") << last.substr(0, 200);
  expect(took < (testing::instrumented ? 10s : 400ms))
      << std::chrono::duration_cast<std::chrono::milliseconds>(took).count() << "ms for 20 MB of requests";
}

// It is searched for secrets as often as the error is shown.
task<void> large_error_data(peer_fixture& h) {
  constexpr std::size_t most = std::size_t{64} << 10;
  for (const std::size_t size : {most, most + 1}) {
    const std::string data = '"' + std::string(size - 2, 'd') + '"';
    const outcome got = co_await one_call(
        h, {R"({"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"no","data":)" + data + "}}"});
    expect(fatal(got.failure.has_value()));
    expect(got.failure->data.size() == (size > most ? 0U : size));
    expect(got.failure->what == (size > most ? "no (its data of 65537 bytes is left out)" : "no"));
  }
}

// A server that names the call in it has parsed the message.
task<void> parse_error_of_call(peer_fixture& h) {
  for (const char* id : {"ID", "\"ID\""}) {
    const std::string named{id};
    const outcome got =
        co_await one_call(h, {R"({"jsonrpc":"2.0","id":)" + named + R"(,"error":{"code":-32700,"message":"no"}})"});
    expect(got.failure.has_value() && got.failure->code == errc::remote && got.failure->native == -32700_i);
    if (got.failure) expect(got.failure->executed == execution::unknown) << id;
  }
}

const suite<"peer"> tests = [] {
  "a batch may be indented"_test = [] { with_fixture(indented_batch); };
  "line breaks inside JSON do not break the message"_test = [] { with_fixture(line_breaks); };
  "a log line with an id is no answer"_test = [] { with_fixture(log_line_with_an_id); };
  "many large messages at once take linear time"_test = [] { with_fixture(many_large_at_once); };
  "FRZ-11 a request is found among a thousand unanswered ones at once, whatever their ids"_test = [] {
    with_fixture(many_unanswered);
  };
  "a tool call is one line with its id, its progress token and its arguments"_test = [] { with_fixture(request_text); };
  "a hundred calls answered in reverse get each its own answer"_test = [] { with_fixture(many_out_of_order); };
  "B01 an answer to nothing that was asked is dropped and counted"_test = [] { with_fixture(unknown_ids); };
  "B02 the first of two answers counts, and an old id never reaches a new call"_test = [] {
    with_fixture(second_answer);
  };
  "B04 an id that comes back as a string is understood and counted"_test = [] { with_fixture(text_id); };
  "B05 null, fractions, exponents, 2^63 and containers as ids never match"_test = [] { with_fixture(strange_ids); };
  "B06 B09 both result and error, neither, or another version end that call"_test = [] {
    with_fixture(both_or_neither);
  };
  "B07 strange errors are delivered, cut to size"_test = [] { with_fixture(odd_errors); };
  "the data of an error above 64 KiB are left out with a note"_test = [] { with_fixture(large_error_data); };
  "CLM-3 a parse error that names the call does not prove that it was not executed"_test = [] {
    with_fixture(parse_error_of_call);
  };
  "B08 a batch counts in 2025-03-26 only, and elsewhere ends nothing"_test = [] { with_fixture(batches); };
  "A21 B10 B11 B12 a broken answer ends the call whose id can be read"_test = [] { with_fixture(bad_bytes); };
  "a large result is handed over whole"_test = [] { with_fixture(large_result_is_moved); };
};

}  // namespace peer_test
