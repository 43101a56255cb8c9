// SPDX-License-Identifier: MIT
// The switches of fixture_server: a test that relies on one should not be the first to try it.
#include <fstream>
#include <sstream>

#include "../support/child_client.hpp"
#include "../support/contains.hpp"
#include "../support/fixture.hpp"
#include "../support/server_session_fixture.hpp"
#include "../support/temporary_folder.hpp"

namespace fixture_server_test {

using namespace hawser;
using namespace hawser::testing;
using fixture = server_session_fixture;

command server(std::vector<std::string> switches) {
  return {.program = program("fixture_server"), .arguments = std::move(switches)};
}

std::string handshake() { return fixture::request(100, "initialize", R"("protocolVersion":"2025-11-25")"); }
std::string work(int id) {
  return fixture::request(id, "tools/call", R"("name":"work","arguments":{"id":"w)" + std::to_string(id) + R"("})");
}

std::string content_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return text.str();
}

task<void> works(child_client& c) {
  const std::string hello = co_await c.ask(handshake());
  const std::string first = co_await c.ask(work(1));
  const std::string second = co_await c.ask(work(2));
  expect(!result_of(hello).empty() && contains(first, "done") && contains(second, "done"));
}

task<void> dies_in_a_call(child_client& c) {
  const std::string hello = co_await c.ask(handshake());
  const std::string nothing = co_await c.ask(work(1));
  const std::string how = co_await c.end();
  expect(nothing.empty() && contains(how, "exited with 7")) << how;
}

task<void> dies_soon(child_client& c) {
  const std::string how = co_await c.end();
  expect(contains(how, "exited with 7")) << how;
}

task<void> says_nothing(child_client& c) {
  c.say(handshake());
  const std::string next = co_await c.ask(fixture::request(2, "ping"));
  expect(find_member(next, "id") == "2") << next;
}

task<void> exits_when_probed(child_client& c) {
  const std::string nothing = co_await c.ask(fixture::modern(1, "server/discover"));
  const std::string how = co_await c.end();
  expect(nothing.empty() && contains(how, "exited with 1")) << how;
}

task<void> does_not_exit(child_client& c) {
  const std::string hello = co_await c.ask(handshake());
  const std::string list = co_await c.ask(fixture::request(1, "tools/list"));
  expect(contains(list, "tool_2") && !contains(list, "tool_3")) << list;
}

task<void> bursts(child_client& c) {
  const std::string hello = co_await c.ask(handshake());
  c.say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  c.say(fixture::request(1, "tools/call", R"("name":"burst")"));
  int told = 0;
  for (std::string next = co_await c.next(); contains(next, "list_changed"); next = co_await c.next()) ++told;
  expect(told == 5_i);
}

task<void> only_legacy(child_client& c) {
  const std::string probed = co_await c.ask(fixture::modern(1, "server/discover"));
  expect(code_of(probed) == "-32601") << probed;
}

task<void> only_modern(child_client& c) {
  const std::string hello = co_await c.ask(handshake());
  expect(code_of(hello) == "-32022") << hello;
}

task<void> ignores_the_end(loop& l) {
  keeper k{l};
  auto started = co_await k.spawn(server({"--ignore-eof"}));
  expect(started.has_value());
  if (started) {
    const shutdown_timeouts short_ladder{.after_stdin = std::chrono::milliseconds{300}};
    auto how = co_await started->shutdown(short_ladder);
    expect(how.has_value() && how->signal == 15_i) << (how ? how->to_string() : how.error().what);
  }
  auto closed = co_await k.close();
  expect(closed.has_value());
}

const suite<"fixture_server"> tests = [] {
  "the journal has each executed call"_test = [] {
    const temporary_folder folder;
    const std::string journal = folder / "journal";
    with_child(server({"--journal", journal}), works);
    expect(content_of(journal) == "w1\nw2\n");
    with_child(server({"--journal", journal, "--die-on-call"}), dies_in_a_call);
    expect(content_of(journal) == "w1\nw2\nw1\n");
  };
  "it dies when it should"_test = [] { with_child(server({"--die-after-ms", "20"}), dies_soon); };
  "it says nothing to initialize"_test = [] { with_child(server({"--silent-initialize"}), says_nothing); };
  "it exits when it is probed"_test = [] { with_child(server({"--exit-on-probe"}), exits_when_probed); };
  "it does not exit when it is initialized first"_test = [] {
    with_child(server({"--exit-on-probe", "--tools", "3", "--start-delay-ms", "20"}), does_not_exit);
  };
  "it announces changes in a burst"_test = [] { with_child(server({"--list-changed-burst", "5"}), bursts); };
  "it speaks one era only"_test = [] {
    with_child(server({"--legacy-only"}), only_legacy);
    with_child(server({"--modern-only"}), only_modern);
  };
  "it goes on when its input has ended"_test = [] {
    loop l;
    l.run(ignores_the_end(l));
  };
};

}  // namespace fixture_server_test
