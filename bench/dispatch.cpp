// SPDX-License-Identifier: MIT
// What does one tools/call cost, with deadline, cancellation and scanning, against blocking system calls to the same
// server? One after the other from the loop's thread and from another one, then many at once.
#include <boost/json/value.hpp>
#include <cstdio>

#include "../runtime/scope.hpp"
#include "../transports/memory_channel.hpp"
#include "blocking_child.hpp"
#include "calling_thread.hpp"
#include "connection.hpp"
#include "progress.hpp"
#include "questions.hpp"

namespace hawser::bench {

namespace {

using std::chrono::steady_clock;

enum class use : std::uint8_t { bytes, tree };

task<bool> calls_in_turn(peer& to, int count, use what, distribution* into) {
  for (int i = 0; i < count; ++i) {
    const auto begin = steady_clock::now();
    auto answer = co_await to.call(echo_request(), echo_arguments(), usual_deadlines());
    if (!answer) {
      std::fprintf(stderr, "hawser-bench: %s\n", answer.error().what.c_str());
      co_return false;
    }
    if (what == use::tree && !answer->parse()) co_return false;
    if (into != nullptr) into->add(steady_clock::now() - begin);
  }
  if (into != nullptr) into->end_round();
  co_return true;
}

bool floor_in_turn(blocking_child& c, const std::string& line, int count, distribution& into) {
  for (int i = 0; i < count; ++i) {
    const auto begin = steady_clock::now();
    if (!c.exchange_line(line)) return false;
    into.add(steady_clock::now() - begin);
  }
  into.end_round();
  return true;
}

// Answers every request at once, in the same loop: what is left is our own cost, twice.
class instant_answers final : public peer_listener {
 public:
  void on_request(std::string_view /*method*/, std::string_view /*params*/, responder answer) override {
    answer.result(R"({"content":[{"type":"text","text":"four score and seven"}],"isError":false})");
  }
};

task<void> one_caller(peer& to, int count, use what, bool& fine) {
  const bool answered = co_await calls_in_turn(to, count, what, nullptr);
  fine = fine && answered;
}

// Calls in a second with so many of them under way all the time.
task<double> throughput(peer& to, int in_flight, int each, use what) {
  bool fine = true;
  scope callers{co_await this_context()};
  const auto begin = steady_clock::now();
  for (int i = 0; i < in_flight; ++i) callers.spawn(one_caller(to, each, what, fine));
  co_await callers.join();
  const std::chrono::duration<double> took = steady_clock::now() - begin;
  co_return fine ? in_flight* each / took.count() : 0;
}

struct load {
  const char* name;
  int in_flight;
  use what;
  std::optional<double> bar;
};
constexpr load loads[] = {{"1 in flight", 1, use::bytes, {}},
                          {"16 in flight", 16, use::bytes, {}},
                          {"P3 256 in flight", 256, use::bytes, 1'000'000},
                          {"P3 256 in flight, results parsed", 256, use::tree, 500'000}};

task<bool> measure(loop& home, const settings& s, std::vector<candidate>& all, std::vector<goal>& rates) {
  auto raw = blocking_child::start(sibling("bench_mcp_server"));
  const std::string line = echo_line();
  connection ours{home, stdio::pipe, {}};
  auto both = memory_channel::make(home);
  nobody_listens nobody;
  instant_answers answers;
  peer near{home, *both.first, nobody};
  peer far{home, *both.second, answers};
  auto near_open = co_await both.first->open(near);
  auto far_open = co_await both.second->open(far);
  bool fine = co_await ours.open();
  fine = fine && raw && near_open && far_open;
  calling_thread thread{home, ours.side()};
  distribution warm_up;
  for (int round = -1; fine && round < s.rounds; ++round) {
    show_progress("dispatch", round, s.rounds);
    const auto into = [&](std::size_t i) -> distribution& { return round < 0 ? warm_up : all[i].latency; };
    const bool floor = floor_in_turn(*raw, line, s.per_round, into(0));
    const bool loop_thread = co_await calls_in_turn(ours.side(), s.per_round, use::bytes, &into(1));
    const bool other_thread = co_await thread.run(s.per_round, into(2));
    const bool memory = co_await calls_in_turn(near, s.per_round, use::bytes, &into(3));
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
  auto near_closed = co_await both.first->close();
  auto far_closed = co_await both.second->close();
  co_return fine&& near_closed&& far_closed;
}

}  // namespace

bool dispatch(const settings& s, report& into) {
  std::vector<candidate> all{{.name = "blocking read and write"},
                             {.name = "peer, from the loop's thread"},
                             {.name = "peer, from another thread"},
                             {.name = "peer, both sides in memory"}};
  std::vector<goal> rates;
  loop home;
  if (!home.run(measure(home, s, all, rates))) return false;
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
  return true;
}

}  // namespace hawser::bench
