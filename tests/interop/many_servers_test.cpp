// SPDX-License-Identifier: MIT
// Servers of other people side by side in one hub, with a tool of the program between them: one table, calls to each,
// one that is restarted while the others answer; and what is remembered of them until the next run.
#include <boost/json/parse.hpp>
#include <csignal>
#include <map>

#include "../../runtime/async/scope.hpp"
#include "../support/contains.hpp"
#include "../support/interop_fixture.hpp"

namespace many_servers_test {

using namespace hawser;
using testing::contains;
using testing::interop_fixture;
using testing::interop_server_config;
namespace interop = testing::interop;
namespace json = boost::json;

native_tool knot() {
  native_tool made{.name = "knot", .description = "A tool of the program"};
  made.function = [](json::object arguments, reply<envelope> answer) {
    answer(envelope::of_value({{"tied", arguments.at("rope")}}));
  };
  return made;
}

void has_knot(interop_fixture& fixture) {
  const auto added = fixture.at().add_tool(knot());
  expect(added.has_value() or fixture.at().tools()->find("knot") != nullptr);
}

task<void> agree(interop_fixture& fixture) {
  const std::map<std::string, std::string> wanted{{"everything", "2025-11-25"}, {"files", "2025-11-25"},
                                                  {"github", "2024-11-05"},     {"memory", "2025-11-25"},
                                                  {"modern", "2026-07-28"},     {"old", "2025-11-25"}};
  std::map<std::string, std::string> agreed;
  for (const server_status& one : fixture.at().status()) agreed.emplace(one.name, one.negotiated.revision);
  expect(agreed == wanted);
  co_return;
}

task<void> have_one_table(interop_fixture& fixture) {
  has_knot(fixture);
  const auto complete = [&] { return fixture.at().tools()->size() == 13 + 14 + 26 + 9 + 11 + 11 + 1; };
  const bool seen = co_await fixture.until(complete);
  const table_ref table = fixture.at().tools();
  expect(seen) << table->size();
  std::map<std::string, std::size_t> rows;
  std::string_view last;
  for (const tool_row* row : *table) {
    expect(last < row->name) << row->name;
    last = row->name;
    ++rows[std::string{row->server_name}];
    expect(row->available() and contains(row->name, row->definition->name));
  }
  for (const server_status& one : fixture.at().status()) expect(rows[one.name] == one.tools) << one.name;
  expect(rows[""] == 1_ul);
}

task<void> answer_by_name(interop_fixture& fixture) {
  has_knot(fixture);
  auto tied = co_await fixture.at().call("knot", R"({"rope":"hawser"})");
  expect(tied.has_value() and tied->data().value() == json::parse(R"({"tied":"hawser"})"));
  const std::string everything = co_await fixture.call("everything__get-sum", R"({"a":1,"b":2})");
  expect(everything == "The sum of 1 and 2 is 3.") << everything;
  const std::string old = co_await fixture.call("old__add", R"({"a":3,"b":4})");
  expect(old == "The sum of 3 and 4 is 7.") << old;
  const std::string files = co_await fixture.call("files__list_allowed_directories");
  expect(files == "Allowed directories:\n" + fixture.folder / fixture.token) << files;
  auto memory = co_await fixture.at().call("memory__read_graph", "{}");
  expect(memory.has_value() and memory->data().value() == json::parse(R"({"entities":[],"relations":[]})"));
  auto modern = co_await fixture.at().call("modern__add", R"({"a":5,"b":6})");
  expect(modern.has_value() and modern->data().value() == json::parse(R"({"sum":11})"));
  const std::string github = co_await fixture.call("github__get_issue");
  expect(github.starts_with(R"(error -32603: server "github")")) << github;
}

task<void> call_until(interop_fixture& fixture, std::string tool, std::string arguments, const bool& enough,
                      std::size_t& answered) {
  while (!enough || answered == 0) {
    auto answer = co_await fixture.at().call(tool, arguments);
    expect(answer.has_value() and !answer->is_error()) << tool;
    if (!answer) co_return;
    ++answered;
  }
}

// How the server ended is the caller's business; it comes back as another process.
task<void> comes_back(interop_fixture& fixture, std::string name, int before) {
  const auto is_new = [&] {
    const server_status now = fixture.of(name);
    return now.state == server_state::ready && now.pid != before;
  };
  const bool seen = co_await fixture.until(is_new);
  expect(seen) << name;
  expect(testing::processes_with(fixture.token).size() == 6_ul);
}

task<void> serve_while_one_restarts(interop_fixture& fixture) {
  bool enough = false;
  std::size_t first = 0;
  std::size_t second = 0;
  scope calls{co_await this_context()};
  calls.spawn(call_until(fixture, "modern__count", R"({"to":1,"every_ms":20})", enough, first));
  calls.spawn(call_until(fixture, "everything__trigger-long-running-operation", R"({"duration":0.02,"steps":1})",
                         enough, second));
  const int undisturbed = fixture.of("modern").pid;
  const int restarted = fixture.of("memory").pid;
  auto told = fixture.at().restart("memory");
  expect(told.has_value());
  co_await comes_back(fixture, "memory", restarted);
  const std::string graph = co_await fixture.call("memory__read_graph");
  expect(contains(graph, "entities")) << graph;

  const int killed = fixture.of("github").pid;
  expect(::kill(killed, SIGKILL) == 0_i);
  co_await comes_back(fixture, "github", killed);
  expect(fixture.of("github").restarts == 1_ul and fixture.of("github").negotiated.revision == "2024-11-05");
  enough = true;
  co_await calls.join();
  expect(first > 0_ul and second > 0_ul);
  expect(fixture.of("modern").pid == undisturbed);
}

task<void> go_one_by_one(interop_fixture& fixture) {
  auto removed = co_await fixture.at().remove_server("old");
  expect(removed.has_value());
  expect(testing::processes_with(fixture.token).size() == 5_ul);
  const std::string away = co_await fixture.call("old__add", R"({"a":3,"b":4})");
  expect(contains(away, R"(no tool is named "old__add")")) << away;
  const std::string others = co_await fixture.call("modern__echo", R"({"text":"still here"})");
  expect(others == "still here") << others;
}

std::vector<interop_server_config> everybody() {
  return {{.name = "everything", .script = interop::everything},
          {.name = "old", .script = interop::everything_legacy},
          {.name = "files", .script = interop::filesystem},
          {.name = "memory", .script = interop::memory},
          {.name = "github", .script = interop::github},
          {.name = "modern", .script = interop::modern, .more = {"--modern-only"}}};
}

std::size_t questions(const interop_fixture& fixture, std::string_view server) {
  return fixture.sent(server, R"("method":"server/discover")");
}

task<void> asks_everybody(interop_fixture& fixture) {
  expect(questions(fixture, "github") == 1_ul and questions(fixture, "modern") >= 1_ul);
  co_return;
}

// A modern server has to be asked anyway: the answer has its capabilities.
task<void> asks_only_the_modern(interop_fixture& fixture) {
  expect(questions(fixture, "github") == 0_ul and questions(fixture, "modern") >= 1_ul);
  expect(fixture.sent("github", R"("method":"initialize")") == 1_ul);
  expect(fixture.of("github").negotiated.revision == "2024-11-05" and fixture.of("github").tools == 26_ul);
  expect(fixture.of("modern").negotiated.revision == "2026-07-28" and fixture.of("modern").tools == 11_ul);
  co_return;
}

// Both runs are of one configuration; another one is another server, of which nothing is known.
void meet_again(const std::vector<interop_server_config>& guests, interop_fixture::body first,
                interop_fixture::body second) {
  const testing::temporary_folder known;
  const interop_fixture::options same{.has_user = false, .cache_folder = known.path, .token = testing::new_token()};
  for (const auto& inside : {std::move(first), std::move(second)}) {
    interop_fixture fixture{guests, same};
    fixture.run(inside);
    fixture.stop();
  }
}

const suite<"interop: many servers"> tests = [] {
  interop_fixture fixture{everybody(), {.has_user = false}};
  "each of six servers has the revision that it speaks best"_test = [&] { fixture.run(agree); };
  "S007 their tools and one of the program stand in one sorted table"_test = [&] { fixture.run(have_one_table); };
  "S037 each is called by exposed name"_test = [&] { fixture.run(answer_by_name); };
  "S025 two serve on while one is restarted and one is killed and comes back"_test = [&] {
    fixture.run(serve_while_one_restarts);
  };
  "one that is removed takes its tools and its process with it, and no others"_test = [&] {
    fixture.run(go_one_by_one);
  };
  "no process of theirs is left"_test = [&] { fixture.stop(); };

  "the second run knows who is of the era before, and does not ask again"_test = [] {
    meet_again({{.name = "github", .script = interop::github},
                {.name = "modern", .script = interop::modern, .more = {"--modern-only"}}},
               asks_everybody, asks_only_the_modern);
  };
};

}  // namespace many_servers_test
