// SPDX-License-Identifier: MIT
// `hawser demo-server` as a client meets it: a program at the other end of two pipes.
#include <csignal>

#include "../support/child_client.hpp"
#include "../support/contains.hpp"
#include "../support/fixture.hpp"
#include "../support/send_signal.hpp"
#include "../support/server_session_fixture.hpp"

namespace demo_server_test {

using namespace hawser;
using namespace hawser::testing;
using fixture = server_session_fixture;

command demo(std::vector<std::string> more = {}) {
  command c{.program = program("hawser"), .arguments = {"demo-server"}};
  c.arguments.insert(c.arguments.end(), more.begin(), more.end());
  return c;
}

task<void> shake_hands(child_client& c, std::string capabilities = "{}") {
  const std::string answer = co_await c.ask(fixture::request(
      100, "initialize", R"("protocolVersion":"2025-11-25","clientInfo":{},"capabilities":)" + capabilities));
  expect(contains(answer, R"("name":"hawser-demo")")) << answer;
  c.say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
}

task<std::string> call(child_client& c, std::string tool, std::string arguments = "{}") {
  const std::string members = R"("name":")" + tool + R"(","arguments":)" + arguments;
  co_return co_await c.ask(fixture::request(1, "tools/call", members));
}

task<void> its_tools(child_client& c) {
  co_await shake_hands(c);
  const std::string list = co_await c.ask(fixture::request(1, "tools/list"));
  for (const std::string_view name :
       {"add", "add_tool", "ask", "crash", "echo", "large", "slow", "structured", "touch"})
    expect(contains(list, R"("name":")" + std::string{name} + '"')) << name;
  expect(validate_json(list).has_value());
  const std::string echoed = co_await call(c, "echo", R"({"text":"ahoy\n"})");
  expect(result_of(echoed) == R"({"content":[{"type":"text","text":"ahoy\n"}]})") << echoed;
  const std::string sum = co_await call(c, "add", R"({"a":1.5,"b":2})");
  expect(find_member(result_of(sum), "structuredContent") == R"({"sum":3.5})") << sum;
  const std::string bad = co_await call(c, "add", R"({"a":"1"})");
  expect(find_member(result_of(bad), "isError") == "true");
  const std::string large = co_await call(c, "large", R"({"bytes":1000000})");
  expect(large.size() > 1'000'000_ul && large.size() < 1'000'200_ul);
  const std::string value = co_await call(c, "structured");
  expect(find_member(find_member(result_of(value), "structuredContent"), "harbour") == R"("Kiel")");
  const std::string unknown = co_await call(c, "none");
  expect(code_of(unknown) == "-32602");
}

// More than the peer would queue: an answer waits for a client that reads slowly, and is not dropped.
task<void> more_than_is_queued(child_client& c) {
  co_await shake_hands(c);
  for (int id = 1; id <= 4; ++id)
    c.say(fixture::request(id, "tools/call", R"("name":"large","arguments":{"bytes":12000000})"));
  std::size_t all = 0;
  for (int answers = 0; answers < 4; ++answers) {
    const std::string one = co_await c.next();
    all += one.size();
  }
  expect(all > 48'000'000_ul) << all;
}

task<void> slowly(child_client& c) {
  co_await shake_hands(c);
  c.say(fixture::request(1, "tools/call", R"("name":"slow","arguments":{"seconds":0.2},"_meta":{"progressToken":7})"));
  const std::string log = co_await c.next();
  const std::string first = co_await c.next();
  const std::string second = co_await c.next();
  const std::string answer = co_await c.next();
  expect(method_of(log) == "\"notifications/message\"") << log;
  expect(find_member(first, "params") == R"({"progressToken":7,"progress":1,"total":2,"message":"step 1 of 2"})");
  expect(find_member(find_member(second, "params"), "progress") == "2" && contains(answer, "took 0.2 s")) << answer;
  c.say(fixture::request(2, "tools/call", R"("name":"slow","arguments":{"seconds":3600})"));
  const std::string begun = co_await c.next();
  c.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
  const std::string ping = co_await c.ask(fixture::request(3, "ping"));
  expect(find_member(ping, "id") == "3") << ping;
}

task<void> asks_in_the_old_way(child_client& c) {
  co_await shake_hands(c, R"({"elicitation":{}})");
  const std::string question = co_await call(c, "ask");
  expect(method_of(question) == R"("elicitation/create")") << question;
  const std::string id{find_member(question, "id")};
  const std::string answer =
      co_await c.ask(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"action":"accept","content":{"name":"Ada"}}})");
  expect(contains(answer, "Hello, Ada!")) << answer;
}

task<void> cannot_ask(child_client& c) {
  co_await shake_hands(c);
  const std::string answer = co_await call(c, "ask");
  expect(find_member(result_of(answer), "isError") == "true" && contains(answer, "elicitation")) << answer;
}

task<void> changes(child_client& c) {
  co_await shake_hands(c);
  const std::string told = co_await call(c, "add_tool", R"({"name":"fresh"})");
  const std::string added = co_await c.next();
  expect(method_of(told) == R"("notifications/tools/list_changed")" && contains(added, "added fresh")) << told << added;
  const std::string fresh = co_await call(c, "fresh", R"({"a":1})");
  expect(contains(fresh, R"({\"a\":1})")) << fresh;
  const std::string twice = co_await call(c, "add_tool", R"({"name":"fresh"})");
  expect(find_member(result_of(twice), "isError") == "true");
  const std::string subscribed =
      co_await c.ask(fixture::request(2, "resources/subscribe", R"("uri":"demo://counter")"));
  expect(result_of(subscribed) == "{}");
  const std::string updated = co_await call(c, "touch");
  const std::string touched = co_await c.next();
  expect(find_member(updated, "params") == R"({"uri":"demo://counter"})" && contains(touched, R"("text":"1")"));
  const std::string counter = co_await c.ask(fixture::request(3, "resources/read", R"("uri":"demo://counter")"));
  expect(contains(counter, R"("text":"1")")) << counter;
}

task<void> resources_and_prompts(child_client& c) {
  co_await shake_hands(c);
  for (const std::string_view uri : {"demo://text", "demo://binary", "demo://greeting/Ada"}) {
    const std::string read =
        co_await c.ask(fixture::request(1, "resources/read", R"("uri":")" + std::string{uri} + '"'));
    expect(contains(read, "contents")) << read;
  }
  for (const std::string_view list : {"resources/list", "resources/templates/list", "prompts/list"}) {
    const std::string listed = co_await c.ask(fixture::request(2, list));
    expect(!result_of(listed).empty() && validate_json(listed).has_value()) << listed;
  }
  const std::string missing = co_await c.ask(fixture::request(3, "resources/read", R"("uri":"demo://greeting/")"));
  expect(code_of(missing) == "-32002");
  const std::string prompt = co_await c.ask(
      fixture::request(4, "prompts/get", R"("name":"greet","arguments":{"name":"Ada","style":"brief"})"));
  expect(contains(prompt, "greet Ada in a brief way")) << prompt;
  const std::string incomplete = co_await c.ask(fixture::request(5, "prompts/get", R"("name":"greet")"));
  expect(code_of(incomplete) == "-32602");
  const std::string completed = co_await c.ask(
      fixture::request(6, "completion/complete",
                       R"("ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"style","value":"f"})"));
  expect(result_of(completed) == R"({"completion":{"values":["formal","friendly"],"total":2,"hasMore":false}})");
}

task<void> crashes(child_client& c) {
  co_await shake_hands(c);
  const std::string nothing = co_await call(c, "crash");
  const std::string how = co_await c.end();
  expect(nothing.empty() && contains(how, "exited with 3")) << how;
}

task<void> without_a_handshake(child_client& c) {
  const std::string found = co_await c.ask(fixture::modern(1, "server/discover"));
  expect(contains(found, "2026-07-28") && contains(found, "cacheScope")) << found;
  const std::string shaken = co_await c.ask(fixture::request(2, "initialize", R"("protocolVersion":"2025-11-25")"));
  expect(code_of(shaken) == "-32022") << shaken;
}

task<void> only_an_old_one(child_client& c) {
  const std::string probed = co_await c.ask(fixture::modern(1, "server/discover"));
  expect(code_of(probed) == "-32601") << probed;
  const std::string shaken = co_await c.ask(fixture::request(2, "initialize", R"("protocolVersion":"2025-11-25")"));
  expect(contains(shaken, R"("protocolVersion":"2024-11-05")") && contains(shaken, R"("name":"old")")) << shaken;
}

task<void> by_sigterm(child_client& c) {
  co_await shake_hands(c);
  testing::send_signal(c.wire.pid(), SIGTERM);
  const std::string how = co_await c.end();
  expect(contains(how, "exited with 0")) << how;
}

task<void> to_its_end(loop& l, command what, std::string input, std::string& said, exit_status& status) {
  keeper k{l};
  auto started = co_await k.spawn(std::move(what));
  expect(started.has_value());
  if (started) {
    started->input().write(input);
    auto ended = co_await started->input().shutdown();
    ignore(ended, "it may have exited");
    auto how = co_await started->exited();
    if (how) status = *how;
    for (auto more = co_await started->output().read_some(); more; more = co_await started->output().read_some()) {
      said += *more;
      started->output().consume(more->size());
    }
    auto down = co_await started->shutdown();
    expect(down.has_value());
  }
  auto closed = co_await k.close();
  expect(closed.has_value());
}

const suite<"demo_server"> tests = [] {
  "its tools do what they say"_test = [] { with_child(demo(), its_tools); };
  "large answers wait for a slow reader"_test = [] { with_child(demo(), more_than_is_queued); };
  "slow reports progress and can be cancelled"_test = [] { with_child(demo(), slowly); };
  "ask asks the user of a client that can"_test = [] { with_child(demo(), asks_in_the_old_way); };
  "ask says what is missing to one that cannot"_test = [] { with_child(demo(), cannot_ask); };
  "a new tool and a touched resource are announced"_test = [] { with_child(demo(), changes); };
  "resources, prompts and completion are there"_test = [] { with_child(demo(), resources_and_prompts); };
  "crash exits with 3"_test = [] { with_child(demo(), crashes); };
  "it can be held to the era without a handshake"_test = [] {
    with_child(demo({"--modern-only"}), without_a_handshake);
  };
  "it can be held to one revision"_test = [] {
    with_child(demo({"--revision", "2024-11-05", "--name", "old"}), only_an_old_one);
  };
  "SIGTERM ends it with 0"_test = [] { with_child(demo(), by_sigterm); };
  "the end of its input ends it with 0, and what came before is answered"_test = [] {
    loop l;
    std::string said;
    exit_status status{.code = -1};
    const std::string input = fixture::request(1, "initialize", R"("protocolVersion":"2025-11-25")") + '\n' +
                              fixture::request(2, "tools/call", R"("name":"echo","arguments":{"text":"x"})");
    l.run(to_its_end(l, demo(), input, said, status));
    expect(status == exit_status{});
    expect(contains(said, R"("id":2,"result")")) << said;
  };
  "a revision that does not exist is refused with the ones that do"_test = [] {
    loop l;
    std::string said;
    exit_status status{.code = -1};
    l.run(to_its_end(l, demo({"--revision", "1999-01-01"}), "", said, status));
    expect(status.code == 2_i && said.empty());
  };
};

}  // namespace demo_server_test
