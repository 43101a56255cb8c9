// SPDX-License-Identifier: MIT
// The time from a tools/list request to the published table: in one page, and in pages of a thousand, with unsorted
// tools.
#include <cstdio>

#include "../../host/session/tool_page.hpp"
#include "../../registry/registry.hpp"
#include "../../transports/json/json_text.hpp"
#include "../load/stdio_connection.hpp"
#include "../report/progress.hpp"
#include "questions.hpp"

namespace hawser::bench {

namespace {

using registry_type = hawser::registry;

// Limits for a host that expects lists of this size.
constexpr wire_limits wide{.max_message = std::size_t{256} << 20, .json = {.max_values = 100'000'000}};

task<result<std::shared_ptr<tool_list>>> list_tools(peer& from, std::size_t max_tools) {
  auto tools = std::make_shared<tool_list>();
  std::string members;
  while (true) {
    const prepared_request request{{.method = "tools/list", .members = members}};
    auto answer = co_await from.call(request, {}, usual_deadlines());
    if (!answer) co_return answer.error();
    auto page = read_tool_page(std::move(*answer), *tools, max_tools);
    if (!page) co_return page.error();
    if (!page->next_cursor) co_return tools;
    members = "\"cursor\":" + json_string(*page->next_cursor);
  }
}

struct list_case {
  const char* name;
  int tools;
  int page;
  double bar_ms;
};
constexpr list_case list_cases[] = {{"P6 10,000 tools, one page", 10'000, 10'000, 6},
                                    {"P6 10,000 tools, pages of 1,000", 10'000, 1'000, 6},
                                    {"P6 100,000 tools, one page", 100'000, 100'000, 60},
                                    {"P6 100,000 tools, pages of 1,000", 100'000, 1'000, 60}};

task<bool> measure_list(loop& home, const settings& s, const list_case& what, distribution& into) {
  stdio_connection c{
      home, stdio::pipe, {"--tools", std::to_string(what.tools), "--page", std::to_string(what.page)}, wide};
  bool fine = co_await c.open();
  for (int round = -1; fine && round < s.rounds; ++round) {
    show_progress("list", round, s.rounds);
    registry_type table;
    const auto begin = std::chrono::steady_clock::now();
    auto tools = co_await list_tools(c.side(), 1'000'000);
    if (!tools) {
      std::fprintf(stderr, "hawser-bench: %s\n", tools.error().what.c_str());
      fine = false;
      break;
    }
    table.replace({0, 1}, "server", std::move(*tools));
    const auto took = std::chrono::steady_clock::now() - begin;
    fine = table.table()->size() == static_cast<std::size_t>(what.tools);
    if (round >= 0) into.add(took);
  }
  co_await c.close();
  co_return fine;
}

}  // namespace

bool list(const settings& s, report& into) {
  std::vector<goal> goals;
  for (const list_case& what : list_cases) {
    distribution took;
    loop home;
    if (!home.run(measure_list(home, s, what, took))) return false;
    goals.push_back(
        {.name = what.name, .figure = took.percentile(50) / 1000, .unit = "ms", .bar = s.judged(what.bar_ms)});
  }
  into.add(figure_list{"tools/list to a published table", std::move(goals)});
  return true;
}

}  // namespace hawser::bench
