// SPDX-License-Identifier: MIT
// Servers of other people side by side in one hub, with a tool of the program between them: one table, calls to each,
// one that is restarted while the others answer; and what is remembered of them until the next run.
#include <boost/json/parse.hpp>
#include <csignal>
#include <map>

#include "../../runtime/scope.hpp"
#include "../support/contains.hpp"
#include "../support/interop_house.hpp"

namespace many_servers_test {

using namespace hawser;
using testing::contains;
using testing::interop_guest;
using testing::interop_house;
namespace interop = testing::interop;
namespace json = boost::json;

native_tool knot() {
  native_tool made{.name = "knot", .description = "A tool of the program"};
  made.function = [](json::object arguments, reply<envelope> answer) {
    answer(envelope::of_value({{"tied", arguments.at("rope")}}));
  };
  return made;
}

void has_knot(interop_house& house) {
  const auto added = house.at().add_tool(knot());
  expect(added.has_value() or house.at().tools()->find("knot") != nullptr);
}

task<void> agree(interop_house& house) {
  const std::map<std::string, std::string> wanted{{"everything", "2025-11-25"}, {"files", "2025-11-25"},
                                                  {"github", "2024-11-05"},     {"memory", "2025-11-25"},
                                                  {"modern", "2026-07-28"},     {"old", "2025-11-25"}};
  std::map<std::string, std::string> agreed;
  for (const server_status& one : house.at().status()) agreed.emplace(one.name, one.agreed.revision);
  expect(agreed == wanted);
  co_return;
}

task<void> have_one_table(interop_house& house) {
  has_knot(house);
  const auto complete = [&] { return house.at().tools()->size() == 13 + 14 + 26 + 9 + 11 + 11 + 1; };
  const bool seen = co_await house.until(complete);
  const table_ref table = house.at().tools();
  expect(seen) << table->size();
  std::map<std::string, std::size_t> rows;
  std::string_view last;
  for (const tool_row* row : *table) {
    expect(last < row->name) << row->name;
    last = row->name;
    ++rows[std::string{row->server_name}];
    expect(row->available() and contains(row->name, row->definition->name));
  }
  for (const server_status& one : house.at().status()) expect(rows[one.name] == one.tools) << one.name;
  expect(rows[""] == 1_ul);
}

task<void> answer_by_name(interop_house& house) {
  has_knot(house);
  auto tied = co_await house.at().call("knot", R"({"rope":"hawser"})");
  expect(tied.has_value() and tied->data() == json::parse(R"({"tied":"hawser"})"));
  const std::string everything = co_await house.call("everything__get-sum", R"({"a":1,"b":2})");
  expect(everything == "The sum of 1 and 2 is 3.") << everything;
  const std::string old = co_await house.call("old__add", R"({"a":3,"b":4})");
  expect(old == "The sum of 3 and 4 is 7.") << old;
  const std::string files = co_await house.call("files__list_allowed_directories");
  expect(files == "Allowed directories:\n" + house.folder / house.token) << files;
  auto memory = co_await house.at().call("memory__read_graph", "{}");
  expect(memory.has_value() and memory->data() == json::parse(R"({"entities":[],"relations":[]})"));
  auto modern = co_await house.at().call("modern__add", R"({"a":5,"b":6})");
  expect(modern.has_value() and modern->data() == json::parse(R"({"sum":11})"));
  const std::string github = co_await house.call("github__get_issue");
  expect(github.starts_with(R"(error -32603: server "github")")) << github;
}

task<void> call_until(interop_house& house, std::string tool, std::string arguments, const bool& enough,
                      std::size_t& answered) {
  while (!enough || answered == 0) {
    auto answer = co_await house.at().call(tool, arguments);
    expect(answer.has_value() and !answer->is_error()) << tool;
    if (!answer) co_return;
    ++answered;
  }
}

// How the server ended is the caller's business; it comes back as another process.
task<void> comes_back(interop_house& house, std::string name, int before) {
  const auto is_new = [&] {
    const server_status now = house.of(name);
    return now.state == server_state::ready && now.pid != before;
  };
  const bool seen = co_await house.until(is_new);
  expect(seen) << name;
  expect(testing::processes_with(house.token).size() == 6_ul);
}

task<void> serve_while_one_restarts(interop_house& house) {
  bool enough = false;
  std::size_t first = 0;
  std::size_t second = 0;
  scope calls{co_await this_context()};
  calls.spawn(call_until(house, "modern__count", R"({"to":1,"every_ms":20})", enough, first));
  calls.spawn(call_until(house, "everything__trigger-long-running-operation", R"({"duration":0.02,"steps":1})", enough,
                         second));
  const int undisturbed = house.of("modern").pid;
  const int restarted = house.of("memory").pid;
  auto told = house.at().restart("memory");
  expect(told.has_value());
  co_await comes_back(house, "memory", restarted);
  const std::string graph = co_await house.call("memory__read_graph");
  expect(contains(graph, "entities")) << graph;

  const int killed = house.of("github").pid;
  expect(::kill(killed, SIGKILL) == 0_i);
  co_await comes_back(house, "github", killed);
  expect(house.of("github").restarts == 1_ul and house.of("github").agreed.revision == "2024-11-05");
  enough = true;
  co_await calls.join();
  expect(first > 0_ul and second > 0_ul);
  expect(house.of("modern").pid == undisturbed);
}

task<void> go_one_by_one(interop_house& house) {
  auto removed = co_await house.at().remove_server("old");
  expect(removed.has_value());
  expect(testing::processes_with(house.token).size() == 5_ul);
  const std::string away = co_await house.call("old__add", R"({"a":3,"b":4})");
  expect(contains(away, R"(no tool is named "old__add")")) << away;
  const std::string others = co_await house.call("modern__echo", R"({"text":"still here"})");
  expect(others == "still here") << others;
}

std::vector<interop_guest> everybody() {
  return {{.name = "everything", .script = interop::everything},
          {.name = "old", .script = interop::everything_old},
          {.name = "files", .script = interop::filesystem},
          {.name = "memory", .script = interop::memory},
          {.name = "github", .script = interop::github},
          {.name = "modern", .script = interop::modern, .more = {"--modern-only"}}};
}

std::size_t questions(const interop_house& house, std::string_view server) {
  return house.sent(server, R"("method":"server/discover")");
}

task<void> asks_everybody(interop_house& house) {
  expect(questions(house, "github") == 1_ul and questions(house, "modern") >= 1_ul);
  co_return;
}

// A modern server has to be asked anyway: the answer has its capabilities.
task<void> asks_only_the_modern(interop_house& house) {
  expect(questions(house, "github") == 0_ul and questions(house, "modern") >= 1_ul);
  expect(house.sent("github", R"("method":"initialize")") == 1_ul);
  expect(house.of("github").agreed.revision == "2024-11-05" and house.of("github").tools == 26_ul);
  expect(house.of("modern").agreed.revision == "2026-07-28" and house.of("modern").tools == 11_ul);
  co_return;
}

// Both runs are of one configuration; another one is another server, of which nothing is known.
void meet_again(const std::vector<interop_guest>& guests, interop_house::body first, interop_house::body second) {
  const testing::temporary_folder known;
  const interop_house::options same{.has_user = false, .memory_folder = known.path, .token = testing::new_token()};
  for (const auto& inside : {std::move(first), std::move(second)}) {
    interop_house house{guests, same};
    house.run(inside);
    house.stop();
  }
}

const suite<"interop: many servers"> tests = [] {
  interop_house house{everybody(), {.has_user = false}};
  "each of six servers has the revision that it speaks best"_test = [&] { house.run(agree); };
  "S007 their tools and one of the program stand in one sorted table"_test = [&] { house.run(have_one_table); };
  "S037 each is called by exposed name"_test = [&] { house.run(answer_by_name); };
  "S025 two serve on while one is restarted and one is killed and comes back"_test = [&] {
    house.run(serve_while_one_restarts);
  };
  "one that is removed takes its tools and its process with it, and no others"_test = [&] { house.run(go_one_by_one); };
  "no process of theirs is left"_test = [&] { house.stop(); };

  "the second run knows who is of the era before, and does not ask again"_test = [] {
    meet_again({{.name = "github", .script = interop::github},
                {.name = "modern", .script = interop::modern, .more = {"--modern-only"}}},
               asks_everybody, asks_only_the_modern);
  };
};

}  // namespace many_servers_test
