// SPDX-License-Identifier: MIT
// Handlers that ask the client: the same handler, asked for by both eras.
#include "../support/every_step.hpp"
#include "../support/server_session_fixture.hpp"

namespace asking_test {

using namespace hawser;
using namespace hawser::testing;
using namespace std::chrono_literals;
using fixture = server_session_fixture;

const input_request form{"who", "elicitation/create", R"({"message":"Who?","requestedSchema":{"type":"object"}})"};
const input_request page{"page", "elicitation/create", R"({"mode":"url","message":"Look","url":"https://a.example/"})"};
const input_request sample{"say", "sampling/createMessage", R"({"messages":[],"maxTokens":5})"};
const input_request roots{"roots", "roots/list", "{}"};

std::string answer_to(std::string_view question, std::string_view result) {
  return R"({"jsonrpc":"2.0","id":)" + std::string{find_member(question, "id")} + R"(,"result":)" +
         std::string{result} + '}';
}

std::string text_in(std::string_view answer) {
  std::string text;
  for_each_element(find_member(result_of(answer), "content"), [&](std::string_view block) {
    text = text_of(find_member(block, "text")).value_or("");
    return false;
  });
  return text;
}

task<void> by_requests(fixture& h) {
  co_await h.initialize("2025-11-25", R"({"elicitation":{},"sampling":{},"roots":{}})");
  h.what.asking = {form, sample, roots};
  const std::string first = co_await h.ask(fixture::request(1, "tools/call", R"("name":"ask")"));
  const std::string second = co_await h.far.next();
  const std::string third = co_await h.far.next();
  expect(method_of(first) == R"("elicitation/create")" && find_member(first, "params") == form.params) << first;
  expect(method_of(second) == R"("sampling/createMessage")" && method_of(third) == R"("roots/list")") << third;
  h.far.say(answer_to(third, R"({"roots":[]})"));
  h.far.say(answer_to(first, R"({"action":"decline"})"));
  const std::string answer = co_await h.ask(answer_to(second, R"({"role":"assistant"})"));
  expect(find_member(answer, "id") == "1") << answer;
  expect(text_in(answer) == R"(s:{"action":"decline"}{"role":"assistant"}{"roots":[]})") << answer;
}

task<void> url_by_request(fixture& h) {
  co_await h.initialize("2025-11-25", R"({"elicitation":{"url":{}}})");
  h.what.asking = {page};
  const std::string question = co_await h.ask(fixture::request(1, "tools/call", R"("name":"ask")"));
  const std::string_view params = find_member(question, "params");
  expect(find_member(params, "elicitationId").size() > 10_ul && find_member(params, "mode") == R"("url")") << question;
  const std::string answer = co_await h.ask(answer_to(question, R"({"action":"accept"})"));
  expect(text_in(answer) == R"(s:{"action":"accept"})") << answer;
}

task<void> refused_by_client(fixture& h) {
  co_await h.initialize("2025-11-25", R"({"sampling":{}})");
  h.what.asking = {sample};
  const std::string question = co_await h.ask(fixture::request(1, "tools/call", R"("name":"ask")"));
  const std::string answer = co_await h.ask(R"({"jsonrpc":"2.0","id":)" + std::string{find_member(question, "id")} +
                                            R"(,"error":{"code":-1,"message":"no, thanks"}})");
  expect(find_member(result_of(answer), "isError") == "true" && code_of(answer).empty()) << answer;
  expect(text_in(answer).find("no, thanks") != std::string::npos) << answer;
}

task<void> not_declared(fixture& h) {
  co_await h.initialize("2025-11-25", R"({"elicitation":{}})");
  h.what.asking = {page};
  const std::string tool = co_await h.ask(fixture::request(1, "tools/call", R"("name":"ask")"));
  expect(find_member(result_of(tool), "isError") == "true") << tool;
  const std::string resource = co_await h.ask(fixture::request(2, "resources/read", R"("uri":"ask:1")"));
  expect(code_of(resource) == "-32602") << resource;
  h.what.asking = {sample};
  const std::string modern = co_await h.ask(fixture::modern(3, "tools/call", R"("name":"ask")"));
  expect(code_of(modern) == "-32021") << modern;
  expect(find_member(find_member(modern, "error"), "data") == R"({"requiredCapabilities":{"sampling":{}}})");
}

task<void> cancelled_while_asking(fixture& h) {
  co_await h.initialize("2025-11-25", R"({"roots":{}})");
  h.what.asking = {roots};
  const std::string question = co_await h.ask(fixture::request(1, "tools/call", R"("name":"ask")"));
  const std::string told =
      co_await h.ask(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  expect(method_of(told) == R"("notifications/cancelled")" &&
         find_member(find_member(told, "params"), "requestId") == find_member(question, "id"))
      << "our question is of no use any more:" << told;
}

task<void> asks_for_ever(fixture& h) {
  co_await h.initialize("2025-11-25", R"({"roots":{}})");
  h.what.asking = {roots, {"never", "roots/list", "{}"}};
  h.what.forgetful = true;
  std::string next = co_await h.ask(fixture::request(1, "tools/call", R"("name":"ask")"));
  int questions = 0;
  while (method_of(next) == R"("roots/list")") {
    ++questions;
    h.far.say(answer_to(next, "{}"));
    next = co_await h.far.next();
  }
  expect(questions == 6_i) << "three rounds of two";
  expect(find_member(result_of(next), "isError") == "true") << next;
}

std::string modern_call(int id, std::string_view more, std::string_view method = "tools/call",
                        std::string_view name = R"("name":"ask")") {
  return fixture::request(
      id, method,
      std::string{name} + std::string{more} +
          R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
          R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{},"url":{}},"roots":{}}})");
}

std::string retry(std::string_view asked, std::string_view responses) {
  return R"(,"inputResponses":)" + std::string{responses} + R"(,"requestState":)" +
         std::string{find_member(result_of(asked), "requestState")};
}

task<void> by_coming_again(fixture& h) {
  h.what.asking = {form, page};
  const std::string asked = co_await h.ask(modern_call(1, R"(,"arguments":{"a":1})"));
  const std::string_view result = result_of(asked);
  expect(find_member(result, "resultType") == R"("input_required")") << asked;
  expect(find_member(result, "inputRequests") == R"({"who":{"method":"elicitation/create","params":)" + form.params +
                                                     R"(},"page":{"method":"elicitation/create","params":)" +
                                                     page.params + "}}")
      << asked;
  const std::string responses = R"({"who":{"action":"decline"},"page":{"action":"accept"}})";
  const std::string again = R"(,"arguments": { "a": 1 })" + retry(asked, responses);
  const std::string answer = co_await h.ask(modern_call(2, again));
  expect(text_in(answer) == R"(s:{"action":"decline"}{"action":"accept"})") << answer;
  expect(find_member(result_of(answer), "resultType") == R"("complete")");
  const std::string replayed = co_await h.ask(modern_call(3, again));
  expect(code_of(replayed) == "-32602") << "good once:" << replayed;
}

task<void> partly(fixture& h) {
  h.what.asking = {form, roots};
  const std::string asked = co_await h.ask(modern_call(1, ""));
  const std::string more = co_await h.ask(modern_call(2, retry(asked, R"({"who":{"action":"cancel"}})")));
  expect(find_member(result_of(more), "resultType") == R"("input_required")") << more;
  expect(find_member(result_of(more), "requestState") != find_member(result_of(asked), "requestState"));
  const std::string all = R"({"who":{"action":"cancel"},"roots":{"roots":[]}})";
  const std::string answer = co_await h.ask(modern_call(3, retry(more, all)));
  expect(text_in(answer) == R"(ss:{"action":"cancel"}{"roots":[]})") << "the state grew by each round:" << answer;
}

task<void> in_a_resource(fixture& h) {
  h.what.asking = {roots};
  const std::string asked = co_await h.ask(modern_call(1, "", "resources/read", R"("uri":"ask:1")"));
  const std::string_view result = result_of(asked);
  expect(find_member(result, "resultType") == R"("input_required")") << asked;
  expect(find_member(result, "ttlMs").empty() && find_member(result, "cacheScope").empty()) << "is not kept" << asked;
}

// §15.1: requestState is whatever an attacker likes.
task<void> forged(fixture& h) {
  h.what.asking = {roots};
  const std::string responses = R"({"roots":{}})";
  const std::string asked = co_await h.ask(modern_call(1, R"(,"arguments":{"a":1})"));
  const std::string good = retry(asked, responses);
  for (const std::string& bad : {R"(,"arguments":{"a":2})" + good, good,
                                 std::string{R"(,"arguments":{"a":1},"requestState":"made up","inputResponses":{})"},
                                 std::string{R"(,"arguments":{"a":1},"requestState":7)"},
                                 std::string{R"(,"arguments":{"a":1},"inputResponses":[])"},
                                 std::string{R"(,"arguments":{"a":1},"inputResponses":{"roots":1})"}}) {
    const std::string answer = co_await h.ask(modern_call(2, bad));
    expect(code_of(answer) == "-32602") << bad << answer;
  }
  const std::string answer = co_await h.ask(modern_call(3, R"(,"arguments":{"a":1})" + good));
  expect(text_in(answer) == "s:{}") << "a forged one does not use up the good one" << answer;
}

task<void> too_often(fixture& h) {
  h.what.asking = {roots};
  std::string asked = co_await h.ask(modern_call(1, ""));
  int rounds = 1;
  while (find_member(result_of(asked), "resultType") == R"("input_required")" && rounds < 20) {
    ++rounds;
    asked = co_await h.ask(modern_call(rounds, retry(asked, "{}")));
  }
  expect(rounds == 4_i && find_member(result_of(asked), "isError") == "true") << rounds << asked;
}

task<void> too_late(fixture& h) {
  h.what.asking = {roots};
  const std::string asked = co_await h.ask(modern_call(1, ""));
  auto slept = co_await sleep_for(31min);
  expect(slept.has_value());
  const std::string answer = co_await h.ask(modern_call(2, retry(asked, R"({"roots":{}})")));
  expect(code_of(answer) == "-32602") << answer;
}

task<void> asking_and_answering(fixture& h) {
  h.what.asking = {roots, form};
  h.far.say(fixture::request(1, "initialize",
                             R"("protocolVersion":"2025-11-25","capabilities":{"roots":{},"elicitation":{}})"));
  h.far.say(fixture::request(2, "tools/call", R"("name":"ask")"));
  h.far.say(modern_call(3, ""));
  for (int messages = 0; messages < 4; ++messages) {
    const std::string next = co_await h.far.next();
    if (!method_of(next).empty()) h.far.say(answer_to(next, "{}"));
    if (find_member(next, "id") == "3")
      h.far.say(modern_call(4, retry(next, R"({"roots":{},"who":{"action":"cancel"}})")));
  }
}

const suite<"asking"> tests = [] {
  "before 2026-07-28 the session asks by requests, all at once"_test = [] { serving(by_requests); };
  "a question by URL gets the id that 2025-11-25 wants"_test = [] { serving(url_by_request); };
  "a client that refuses is a failure of the tool"_test = [] { serving(refused_by_client); };
  "input that the client did not declare is not requested"_test = [] { serving(not_declared); };
  "a cancelled call takes its questions back"_test = [] { serving(cancelled_while_asking); };
  "the number of input rounds of a handler is limited"_test = [] {
    serving(asks_for_ever, {.rounds = {.max_rounds = 3}});
  };
  "since 2026-07-28 the client comes again with the answers"_test = [] { serving(by_coming_again); };
  "a client that has only some answers is asked again, and the state is kept"_test = [] { serving(partly); };
  "a resource may ask, too, and the question is not kept"_test = [] { serving(in_a_resource); };
  "a requestState is good for its own call only, and cannot be made up"_test = [] { serving(forged); };
  "a client that repeats a request too often is refused"_test = [] {
    serving(too_often, {.rounds = {.max_rounds = 3}});
  };
  "a client that repeats a request too late is refused"_test = [] { serving(too_late); };
  "a stop at every step of asking leaves nothing behind"_test = [] {
    manual_clock clock;
    every_step([](loop& l) { return run_in_server_session_fixture(l, asking_and_answering, {}); }, {.clock = &clock});
  };
};

}  // namespace asking_test
