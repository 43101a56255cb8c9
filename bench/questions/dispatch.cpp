// SPDX-License-Identifier: MIT
// The cost of one tools/call, with deadline, cancellation and scanning, against blocking system calls to the same
// server: sequentially from the loop thread and from another thread, then concurrently.
#include <cstdio>

#include "../floors/blocking_child.hpp"
#include "../load/call_loops.hpp"
#include "../load/calling_thread.hpp"
#include "../load/memory_pair.hpp"
#include "../peers/side_by_side.hpp"
#include "../report/progress.hpp"
#include "questions.hpp"

namespace hawser::bench {

namespace {

struct load {
  const char* name;
  int in_flight;
  result_form what;
  std::optional<double> bar;
};
constexpr load loads[] = {{"1 in flight", 1, result_form::bytes, {}},
                          {"16 in flight", 16, result_form::bytes, {}},
                          {"P3 256 in flight", 256, result_form::bytes, 1'000'000},
                          {"P3 256 in flight, results parsed", 256, result_form::tree, 500'000}};

task<bool> measure_dispatch(loop& home, const settings& s, std::vector<candidate>& all, std::vector<goal>& rates) {
  auto raw = blocking_child::start(sibling("bench_mcp_server"));
  const std::string line = echo_line();
  stdio_connection ours{home, stdio::pipe, {}};
  memory_pair both{home};
  const bool in_memory = co_await both.open();
  bool fine = co_await ours.open();
  fine = fine && raw && in_memory;
  calling_thread thread{home, ours.side()};
  distribution warm_up;
  for (int round = -1; fine && round < s.rounds; ++round) {
    show_progress("dispatch", round, s.rounds);
    const auto into = [&](std::size_t i) -> distribution& { return round < 0 ? warm_up : all[i].latency; };
    const bool floor = floor_in_turn(s.per_round, into(0), [&] { return raw->exchange_line(line); });
    const bool loop_thread = co_await calls_in_turn(ours.side(), s.per_round, result_form::bytes, &into(1));
    const bool other_thread = co_await thread.run(s.per_round, into(2));
    const bool memory = co_await calls_in_turn(both.near(), s.per_round, result_form::bytes, &into(3));
    fine = floor && loop_thread && other_thread && memory;
  }
  for (const load& l : loads) {
    if (!fine) break;
    std::vector<double> rounds;
    rounds.reserve(5);
    const int each = std::max(1, s.rounds * s.per_round * 4 / l.in_flight);
    for (int i = 0; i < 5; ++i) rounds.push_back(co_await throughput(ours.side(), l.in_flight, each, l.what));
    rates.push_back({.name = l.name,
                     .figure = median(rounds),
                     .unit = "calls/s",
                     .bar = l.bar ? s.judged(*l.bar) : std::nullopt,
                     .wanted = goal::side::at_least});
  }
  co_await ours.close();
  const bool closed = co_await both.close();
  co_return fine&& closed;
}

// In rounds of their own, so that the participating clients do not change the figures above.
bool compare_clients(const settings& s, const std::vector<peer_spec>& others, report& into) {
  const bool over_stdio = side_by_side_over_stdio(s, others, into);
  settings web = s;  // other clients need ten times as long over HTTP
  web.rounds = std::max(1, s.rounds / 2);
  web.per_round = std::max(1, s.per_round / 3);
  const bool over_http = side_by_side_over_http(web, others, into);
  return over_stdio && over_http;
}

}  // namespace

bool dispatch(const settings& s, report& into) {
  const auto others = peer_specs(s, into);
  if (!others) {
    std::fprintf(stderr, "hawser-bench: %s\n", others.error().what.c_str());
    return false;
  }
  std::vector<candidate> all{{.name = "blocking read and write"},
                             {.name = "peer, from the loop's thread"},
                             {.name = "peer, from another thread"},
                             {.name = "peer, both sides in memory"}};
  std::vector<goal> rates;
  loop home;
  if (!home.run(measure_dispatch(home, s, all, rates))) return false;
  const distribution& floor = all[0].latency;
  std::vector<goal> goals{{.name = "P1 p50, loop's thread",
                           .figure = all[1].latency.ratio_to(floor),
                           .unit = "x floor",
                           .bar = s.judged(1.25)},
                          {.name = "P1 p99, loop's thread",
                           .figure = all[1].latency.percentile(99) / floor.percentile(99),
                           .unit = "x floor",
                           .bar = s.judged(1.5)},
                          {.name = "P1 p50, another thread",
                           .figure = all[2].latency.ratio_to(floor),
                           .unit = "x floor",
                           .bar = s.judged(2.5)}};
  goals.insert(goals.end(), rates.begin(), rates.end());
  into.add(latency_table{"one tools/call over stdio and back", std::move(all)});
  into.add(figure_list{"tools/call over stdio", std::move(goals)});
  return others->empty() || compare_clients(s, *others, into);
}

}  // namespace hawser::bench
