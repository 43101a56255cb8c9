// SPDX-License-Identifier: MIT
// The cost of a result of 5 MB: as unparsed bytes over a pipe and over a socket pair, and as a tree; against blocking
// reads from a socket pair into memory that is reused.
#include <boost/json/value.hpp>
#include <cstdio>

#include "../floors/blocking_child.hpp"
#include "../load/stdio_connection.hpp"
#include "questions.hpp"

namespace hawser::bench {

namespace {

const std::vector<std::string> five_megabytes{"--result", "5000000"};

task<bool> one_result(stdio_connection& c, bool parse, distribution& into) {
  const auto begin = std::chrono::steady_clock::now();
  auto answer = co_await c.side().call(echo_request(), echo_arguments(), usual_deadlines());
  const bool fine = answer && answer->text().size() > 5'000'000 && (!parse || answer->parse().has_value());
  into.add(std::chrono::steady_clock::now() - begin);
  into.end_round();
  if (!answer) std::fprintf(stderr, "hawser-bench: %s\n", answer.error().what.c_str());
  co_return fine;
}

task<bool> measure_large(loop& home, const settings& s, std::vector<candidate>& all) {
  auto raw = blocking_child::start(sibling("bench_mcp_server"), blocking_child::session::own, five_megabytes,
                                   blocking_child::wire::socket);
  stdio_connection by_pipe{home, stdio::pipe, five_megabytes};
  stdio_connection by_socket{home, stdio::socket, five_megabytes};
  const bool pipe_open = co_await by_pipe.open();
  const bool socket_open = co_await by_socket.open();
  bool fine = raw && pipe_open && socket_open;
  distribution warm_up;
  for (int round = -3; fine && round < s.rounds; ++round) {
    const auto into = [&](std::size_t i) -> distribution& { return round < 0 ? warm_up : all[i].latency; };
    const auto begin = std::chrono::steady_clock::now();
    fine = raw->exchange_line(echo_line());
    into(0).add(std::chrono::steady_clock::now() - begin);
    into(0).end_round();
    const bool piped = co_await one_result(by_pipe, false, into(1));
    const bool through_socket = co_await one_result(by_socket, false, into(2));
    const bool parsed = co_await one_result(by_socket, true, into(3));
    fine = fine && piped && through_socket && parsed;
  }
  co_await by_pipe.close();
  co_await by_socket.close();
  co_return fine;
}

}  // namespace

bool large(const settings& s, report& into) {
  std::vector<candidate> all{{.name = "blocking, socket pair"},
                             {.name = "peer, pipe"},
                             {.name = "peer, socket pair"},
                             {.name = "peer, socket pair, parsed"}};
  loop home;
  if (!home.run(measure_large(home, s, all))) return false;
  std::vector<goal> goals{{.name = "P5 p50, pipe",
                           .figure = all[1].latency.ratio_to(all[0].latency),
                           .unit = "x floor",
                           .bar = s.judged(2.0)},
                          {.name = "P5 p50, socket pair",
                           .figure = all[2].latency.ratio_to(all[0].latency),
                           .unit = "x floor",
                           .bar = s.judged(2.0)}};
  into.add(latency_table{"one result of 5 MB", std::move(all)});
  into.add(figure_list{"a result of 5 MB", std::move(goals)});
  return true;
}

}  // namespace hawser::bench
