// SPDX-License-Identifier: MIT
#include "side_by_side.hpp"

#include "../floors/blocking_child.hpp"
#include "../floors/http_floor.hpp"
#include "../load/call_loops.hpp"
#include "../load/http_connection.hpp"
#include "../report/progress.hpp"

namespace hawser::bench {

namespace {

constexpr int rushes = 5;

using wire = other_clients::wire;

struct comparison {
  wire over;
  int in_flight;  // for the concurrent calls
  candidate floor;
  candidate ours{.name = "Hawser, result as bytes"};
  candidate parsed{.name = "Hawser, result as a tree"};  // which is what other clients return
  std::vector<double> our_rates{};
};

template <class Exchange>
task<bool> in_turns(const settings& s, comparison& all, Exchange floor, peer& ours, other_clients& others) {
  distribution not_kept;
  bool fine = floor_in_turn(s.per_round, not_kept, floor);
  const bool warm = co_await calls_in_turn(ours, s.per_round, result_form::bytes, nullptr);
  fine = fine && warm;
  co_await others.warm_up(std::max(s.per_round, 100));
  for (int round = 0; fine && round < s.rounds; ++round) {
    show_progress(name_of(all.over), round, s.rounds);
    fine = floor_in_turn(s.per_round, all.floor.latency, floor);
    const bool answered = co_await calls_in_turn(ours, s.per_round, result_form::bytes, &all.ours.latency);
    const bool read = co_await calls_in_turn(ours, s.per_round, result_form::tree, &all.parsed.latency);
    fine = fine && answered && read;
    co_await others.run_round(s.per_round);
  }
  co_return fine;
}

task<bool> many_at_once(const settings& s, comparison& all, peer& ours, other_clients& others) {
  const int each = std::max(4, s.rounds * s.per_round / 10 / all.in_flight);
  bool fine = true;
  for (int round = -1; fine && round < rushes; ++round) {
    show_progress(name_of(all.over), round, rushes);
    const double rate = co_await throughput(ours, all.in_flight, each, result_form::bytes);
    fine = rate > 0;
    if (round >= 0) all.our_rates.push_back(rate);
    co_await others.run_concurrently(each * all.in_flight, all.in_flight, round >= 0);
  }
  co_return fine;
}

template <class Exchange>
task<bool> compare(loop& home, const settings& s, comparison& all, Exchange floor, peer& ours, other_clients& others,
                   call_target where) {
  keeper theirs{home};
  co_await others.join(theirs, std::move(where));
  bool fine = co_await in_turns(s, all, floor, ours, others);
  if (fine) fine = co_await many_at_once(s, all, ours, others);
  co_await others.end();
  auto closed = co_await theirs.close();
  co_return fine&& closed.has_value();
}

task<bool> compare_over_stdio(loop& home, const settings& s, comparison& all, other_clients& others) {
  const std::string server = sibling("bench_mcp_server");
  auto raw = blocking_child::start(server);
  stdio_connection ours{home, stdio::pipe, {}};
  bool fine = co_await ours.open();
  if (raw && fine) {
    const std::string line = echo_line();
    const auto floor = [&] { return raw->exchange_line(line); };
    call_target where{.stdio = {server}};
    fine = co_await compare(home, s, all, floor, ours.side(), others, std::move(where));
  }
  co_await ours.close();
  co_return raw&& fine;
}

task<bool> compare_over_http(loop& home, const settings& s, comparison& all, other_clients& others) {
  auto server = http_server_process::start();
  if (!server) co_return false;
  auto raw = blocking_http_client::connect(server->port(), blocking_http_client::wire::clear);
  if (!raw) co_return false;
  const std::string url = url_of("http", server->port());
  ares_resolver names;
  http_peer_connection ours{home, names, options_for(url)};
  bool fine = co_await ours.open();
  if (fine) {
    const std::string request = floor_request(server->port());
    const auto floor = [&] { return raw->exchange(request); };
    call_target where{.http = url};
    fine = co_await compare(home, s, all, floor, ours.side(), others, std::move(where));
  }
  co_await ours.close();
  co_return fine;
}

void tell(const settings& s, comparison& all, const other_clients& others, report& into) {
  const std::string about = std::string{"tools/call over "} + name_of(all.over);
  std::vector<goal> rates{{.name = "Hawser", .figure = median(all.our_rates), .unit = "calls/s"}};
  for (goal& one : others.rates()) rates.push_back(std::move(one));
  into.add(figure_list{about + ", " + std::to_string(all.in_flight) + " in flight, side by side", std::move(rates)});
  into.add(figure_list{about + ", other clients", others.ratios(s, all.ours.latency)});
  std::vector<candidate> rows{std::move(all.floor), std::move(all.ours), std::move(all.parsed)};
  for (candidate& one : others.rows()) rows.push_back(std::move(one));
  into.add(latency_table{about + ", side by side", std::move(rows)});
}

using way = task<bool> (*)(loop&, const settings&, comparison&, other_clients&);

bool run_comparison(const settings& s, comparison all, way how, const std::vector<peer_spec>& who, report& into) {
  other_clients others{who, all.over, into};
  loop home;
  if (!home.run(how(home, s, all, others))) return false;
  tell(s, all, others, into);
  return others.all_took_part();
}

}  // namespace

bool side_by_side_over_stdio(const settings& s, const std::vector<peer_spec>& who, report& into) {
  comparison all{.over = wire::stdio, .in_flight = 256, .floor = {.name = "blocking read and write"}};
  return run_comparison(s, std::move(all), compare_over_stdio, who, into);
}

bool side_by_side_over_http(const settings& s, const std::vector<peer_spec>& who, report& into) {
  comparison all{.over = wire::http, .in_flight = 16, .floor = {.name = "blocking keep-alive exchange"}};
  return run_comparison(s, std::move(all), compare_over_http, who, into);
}

}  // namespace hawser::bench
