// SPDX-License-Identifier: MIT
// From nothing to a hundred servers with their tools in the table: the hub, with era detection and supervision,
// against posix_spawn and the same handshake.
#include <cstdio>

#include "../../host/hub.hpp"
#include "../../runtime/loop/loop.hpp"
#include "../floors/blocking_child.hpp"
#include "../report/progress.hpp"
#include "questions.hpp"

namespace hawser::bench {

namespace {

constexpr int server_count = 100;
constexpr int tools_of_each = 20;

// The requests of a minimal client; the responses are read but not parsed.
constexpr std::string_view hello =
    R"({"jsonrpc":"2.0","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"floor","version":"1"}},"id":1})"
    "\n";
constexpr std::string_view list_tools_request = R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
                                                "\n"
                                                R"({"jsonrpc":"2.0","method":"tools/list","id":2})"
                                                "\n";

}  // namespace

bool start_floor(int count, distribution& into) {
  std::vector<blocking_child> children;
  children.reserve(static_cast<std::size_t>(count));
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    auto c = blocking_child::start(sibling("bench_mcp_server"), blocking_child::session::own,
                                   {"--tools", std::to_string(tools_of_each)});
    if (!c) return false;
    children.push_back(std::move(*c));
  }
  bool fine = true;
  for (blocking_child& c : children) fine = fine && c.exchange_line(hello);
  for (blocking_child& c : children) fine = fine && c.exchange_line(list_tools_request);
  into.add(std::chrono::steady_clock::now() - begin);
  into.end_round();
  return fine;
}

namespace {

task<bool> start_hub(loop& home, distribution& into) {
  const auto begin = std::chrono::steady_clock::now();
  hub servers{home, stdio_server_configs(server_count, tools_of_each)};
  auto opened = co_await servers.open();
  auto settled = co_await servers.settled();
  into.add(std::chrono::steady_clock::now() - begin);
  into.end_round();
  const bool all = servers.tools()->size() == std::size_t{server_count} * tools_of_each;
  if (!all) {
    for (const server_status& one : servers.status()) {
      if (one.state != server_state::ready)
        std::fprintf(stderr, "hawser-bench: %s: %s\n", one.name.c_str(), one.reason.c_str());
    }
  }
  auto closed = co_await servers.close();
  co_return opened.has_value() && settled.has_value() && closed.has_value() && all;
}

task<bool> measure_cold_start(loop& home, const settings& s, std::vector<candidate>& all) {
  bool fine = true;
  for (int round = 0; fine && round < s.rounds; ++round) {
    show_progress("cold", round, s.rounds);
    fine = start_floor(server_count, all[0].latency);
    const bool kept = co_await start_hub(home, all[1].latency);
    fine = fine && kept;
  }
  co_return fine;
}

}  // namespace

host_settings stdio_server_configs(int count, int tools) {
  host_settings made;
  for (int i = 0; i < count; ++i) {
    made.servers.push_back({.name = "s" + std::to_string(i),
                            .transport = stdio_settings{.command = sibling("bench_mcp_server"),
                                                        .args = {"--tools", std::to_string(tools)}}});
  }
  return made;
}

bool cold(const settings& s, report& into) {
  std::vector<candidate> all{{.name = "posix_spawn, handshake"}, {.name = "hub"}};
  loop home;
  if (!home.run(measure_cold_start(home, s, all))) return false;
  const double ratio = all[1].latency.ratio_to(all[0].latency);
  into.add(latency_table{"100 servers from their settings to the last one's tools", std::move(all)});
  into.add(figure_list{"a hundred servers",
                       {{.name = "P7 p50, cold start", .figure = ratio, .unit = "x floor", .bar = s.judged(1.25)}}});
  return true;
}

}  // namespace hawser::bench
