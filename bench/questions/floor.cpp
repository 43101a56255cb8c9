// SPDX-License-Identifier: MIT
// One message to an echoing child and back, sequentially: blocking system calls against a coroutine over `stream`.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../../runtime/process/keeper.hpp"
#include "../floors/blocking_child.hpp"
#include "../report/progress.hpp"
#include "questions.hpp"

namespace hawser::bench {

namespace {

// The size of a typical tools/call on the wire.
const std::string echoed_message(132, 'm');

task<bool> exchanges(stream& to, stream& from, int count, distribution& into) {
  for (int i = 0; i < count; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    to.write(std::string_view{echoed_message});
    while (from.unread().size() < echoed_message.size()) {
      auto more = co_await from.read_some();
      if (!more) co_return false;
    }
    from.consume(echoed_message.size());
    into.add(std::chrono::steady_clock::now() - begin);
  }
  into.end_round();
  co_return true;
}

using exchange = bool (blocking_child::*)(std::string_view);

bool blocking_exchanges(blocking_child& c, exchange how, int count, distribution& into) {
  for (int i = 0; i < count; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    if (!(c.*how)(echoed_message)) return false;
    into.add(std::chrono::steady_clock::now() - begin);
  }
  into.end_round();
  return true;
}

task<bool> measure_floor(loop& home, const settings& s, std::vector<candidate>& all) {
  auto raw = blocking_child::start(sibling("bench_echo_server"));
  auto beside = blocking_child::start(sibling("bench_echo_server"), blocking_child::session::ours);
  keeper k{home};
  command echo{.program = sibling("bench_echo_server")};
  auto ours = co_await k.spawn(std::move(echo));
  bool fine = raw && beside && ours;
  distribution warm_up;
  if (fine) {
    fine = blocking_exchanges(*raw, &blocking_child::exchange, s.per_round, warm_up);
    const bool warm = co_await exchanges(ours->input(), ours->output(), s.per_round, warm_up);
    fine = fine && warm;
  }
  for (int round = 0; fine && round < s.rounds; ++round) {
    show_progress("floor", round, s.rounds);
    fine = blocking_exchanges(*raw, &blocking_child::exchange, s.per_round, all[0].latency);
    const bool through_stream = co_await exchanges(ours->input(), ours->output(), s.per_round, all[1].latency);
    fine = fine && through_stream &&
           blocking_exchanges(*raw, &blocking_child::exchange_by_epoll, s.per_round, all[2].latency) &&
           blocking_exchanges(*beside, &blocking_child::exchange, s.per_round, all[3].latency);
  }
  if (ours) {
    auto ended = co_await ours->shutdown({});
    ignore(ended, "the numbers are taken");
  } else {
    std::fprintf(stderr, "hawser-bench: %s\n", ours.error().what.c_str());
  }
  auto closed = co_await k.close();
  ignore(closed, "the numbers are taken");
  co_return fine;
}

}  // namespace

bool floor(const settings& s, report& into) {
  std::vector<candidate> all{{.name = "blocking read and write"},
                             {.name = "stream, one coroutine"},
                             {.name = "epoll_wait, read and write"},
                             {.name = "blocking, child in our session"}};
  for (candidate& c : all)
    c.latency.reserve(static_cast<std::size_t>(s.rounds) * static_cast<std::size_t>(s.per_round));
  loop home;
  if (!home.run(measure_floor(home, s, all))) return false;
  const double ratio = all[1].latency.ratio_to(all[0].latency);
  into.add(latency_table{"a 132-byte message to a child and back", std::move(all)});
  into.add(figure_list{
      "stream", {{.name = "p50 of stream to blocking", .figure = ratio, .unit = "x floor", .bar = s.judged(1.15)}}});
  return true;
}

}  // namespace hawser::bench
