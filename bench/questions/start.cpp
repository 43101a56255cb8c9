// SPDX-License-Identifier: MIT
// From the call that starts a child to its first response: posix_spawn against the keeper, one at a time and a
// hundred at once.
#include <cstdio>
#include <string>

#include "../../runtime/async/when.hpp"
#include "../../runtime/process/keeper.hpp"
#include "../floors/blocking_child.hpp"
#include "../report/progress.hpp"
#include "questions.hpp"

namespace hawser::bench {

namespace {

constexpr int child_count = 100;

task<result<child>> first_answer(keeper& k) {
  command echo{.program = sibling("bench_echo_server"), .errors = stdio::inherit};
  auto made = co_await k.spawn(std::move(echo));
  if (!made) co_return made;
  made->input().write("hello\n");
  while (made->output().unread().size() < 6) {
    auto more = co_await made->output().read_some();
    if (!more) break;
  }
  co_return made;
}

task<bool> end(std::vector<result<child>> children) {
  bool fine = true;
  std::vector<task<result<exit_status>>> stops;
  for (auto& c : children) {
    if (!c) std::fprintf(stderr, "hawser-bench: %s\n", c.error().what.c_str());
    if (c) stops.push_back(c->shutdown({}));
    fine = fine && c.has_value();
  }
  for (const auto& ended : co_await when_all(std::move(stops))) fine = fine && ended.has_value();
  co_return fine;
}

task<bool> start_children(keeper& k, int count, distribution& into) {
  std::vector<task<result<child>>> starts;
  starts.reserve(static_cast<std::size_t>(count));
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) starts.push_back(first_answer(k));
  auto children = co_await when_all(std::move(starts));
  into.add(std::chrono::steady_clock::now() - begin);
  into.end_round();
  co_return co_await end(std::move(children));
}

bool raw(int count, distribution& into) {
  std::vector<blocking_child> children;
  children.reserve(static_cast<std::size_t>(count));
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    auto c = blocking_child::start(sibling("bench_echo_server"));
    if (!c) return false;
    children.push_back(std::move(*c));
  }
  bool fine = true;
  for (blocking_child& c : children) fine = fine && c.exchange("hello\n");
  into.add(std::chrono::steady_clock::now() - begin);
  into.end_round();
  return fine;
}

task<bool> measure_start(loop& home, const settings& s, std::vector<candidate>& one, std::vector<candidate>& hundred) {
  keeper k{home};
  distribution warm_up;
  bool fine = co_await start_children(k, 1, warm_up);
  for (int round = 0; fine && round < s.rounds; ++round) {
    show_progress("start", round, s.rounds);
    for (int i = 0; fine && i < 5; ++i) {
      fine = raw(1, one[0].latency);
      const bool kept = co_await start_children(k, 1, one[1].latency);
      fine = fine && kept;
    }
    fine = fine && raw(child_count, hundred[0].latency);
    const bool kept = co_await start_children(k, child_count, hundred[1].latency);
    fine = fine && kept;
  }
  auto closed = co_await k.close();
  co_return fine&& closed.has_value();
}

}  // namespace

bool start(const settings& s, report& into) {
  std::vector<candidate> one{{.name = "posix_spawn"}, {.name = "keeper"}};
  std::vector<candidate> hundred = one;
  loop home;
  if (!home.run(measure_start(home, s, one, hundred))) return false;
  into.add(latency_table{"start of one child to its first answer", std::move(one)});
  into.add(latency_table{"start of 100 children to the last one's first answer", std::move(hundred)});
  return true;
}

}  // namespace hawser::bench
