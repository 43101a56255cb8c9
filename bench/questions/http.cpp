// SPDX-License-Identifier: MIT
// The cost of one tools/call over HTTP, in the clear and over TLS, against blocking keep-alive exchanges with the
// same server: sequential, concurrent, and with a result of 5 MB.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <iterator>
#include <thread>

#include "../floors/http_floor.hpp"
#include "../load/call_loops.hpp"
#include "../load/http_connection.hpp"
#include "../peers/side_by_side.hpp"
#include "../report/progress.hpp"
#include "questions.hpp"

namespace hawser::bench {

namespace {

// The concurrent case with blocking calls: send all requests, then read all responses.
double floor_throughput(int port, const std::string& request, int in_flight, int each) {
  std::vector<std::unique_ptr<blocking_http_client>> all;
  for (int i = 0; i < in_flight; ++i) {
    all.push_back(blocking_http_client::connect(port, blocking_http_client::wire::clear));
    if (!all.back()) return 0;
  }
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < each; ++i) {
    for (const auto& one : all)
      if (!one->ask(request)) return 0;
    for (const auto& one : all)
      if (!one->take_answer()) return 0;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return in_flight * each / took.count();
}

// The floor for a large result (P5): the same number of bytes through a socket pair, written by a thread.
bool socket_pair_floor(std::size_t size, std::string& into, distribution& times) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
  const std::string bytes(size, 'r');
  std::thread writer{[&] {
    char go = 0;
    if (read(ends[1], &go, 1) != 1) return;
    for (std::size_t done = 0; done < size;) {
      const ssize_t count = write(ends[1], bytes.data() + done, size - done);
      if (count <= 0) return;
      done += static_cast<std::size_t>(count);
    }
  }};
  into.resize(size);
  const auto begin = std::chrono::steady_clock::now();
  bool fine = write(ends[0], "g", 1) == 1;
  for (std::size_t got = 0; fine && got < size;) {
    const ssize_t count = read(ends[0], into.data() + got, size - got);
    fine = count > 0;
    if (fine) got += static_cast<std::size_t>(count);
  }
  times.add(std::chrono::steady_clock::now() - begin);
  times.end_round();
  writer.join();
  close(ends[0]);
  close(ends[1]);
  return fine;
}

// A login that is complete, with a valid token.
class token_at_hand final : public authorizer {
 public:
  [[nodiscard]] std::optional<credentials> cached() override {
    return credentials{.fields = secret{"Authorization: Bearer " + std::string(40, 't') + "\r\n"}, .serial = 1};
  }
  task<result<credentials>> acquire() override { co_return *cached(); }
  task<result<credentials>> on_challenge(auth_challenge) override {
    co_return error{.code = errc::auth, .what = "refused"};
  }
};

constexpr std::size_t large_result = 5'000'000;

task<bool> measure_http(loop& home, const settings& s, std::vector<candidate>& all, std::vector<goal>& rates) {
  const certificate_file certificate;
  auto clear_server = http_server_process::start();
  auto changing_server = http_server_process::start({"--heads", "1000"});
  auto tls_server = http_server_process::start({"--tls", certificate.path()});
  auto large_server = http_server_process::start({"--result", std::to_string(large_result)});
  if (!clear_server || !changing_server || !tls_server || !large_server) co_return false;
  auto raw = blocking_http_client::connect(clear_server->port(), blocking_http_client::wire::clear);
  auto raw_tls = blocking_http_client::connect(tls_server->port(), blocking_http_client::wire::tls);
  auto raw_large = blocking_http_client::connect(large_server->port(), blocking_http_client::wire::clear);
  auto trusted = tls_context::client({.ca_file = certificate.path()});
  if (!raw || !raw_tls || !raw_large || !trusted) co_return false;
  ares_resolver names;
  http_channel_options under_tls = options_for(url_of("https", tls_server->port()));
  under_tls.client.tls = *trusted;
  http_peer_connection ours{home, names, options_for(url_of("http", clear_server->port()))};
  token_at_hand login;
  http_channel_options with_login = options_for(url_of("http", clear_server->port()));
  with_login.login = &login;
  http_peer_connection ours_logged_in{home, names, std::move(with_login)};
  http_peer_connection ours_changing{home, names, options_for(url_of("http", changing_server->port()))};
  http_peer_connection ours_tls{home, names, std::move(under_tls)};
  http_peer_connection ours_large{home, names, options_for(url_of("http", large_server->port()))};
  bool fine = co_await ours.open();
  fine = co_await ours_logged_in.open() && fine;
  fine = co_await ours_changing.open() && fine;
  fine = co_await ours_tls.open() && fine;
  fine = co_await ours_large.open() && fine;
  const std::string request = floor_request(clear_server->port());
  const std::string tls_request = floor_request(tls_server->port());
  distribution warm_up;
  std::string kept;
  for (int round = -1; fine && round < s.rounds; ++round) {
    show_progress("http", round, s.rounds);
    const auto into = [&](std::size_t i) -> distribution& { return round < 0 ? warm_up : all[i].latency; };
    const bool floor = floor_in_turn(s.per_round, into(0), [&] { return raw->exchange(request); });
    const bool clear = co_await calls_in_turn(ours.side(), s.per_round, result_form::bytes, &into(1));
    const bool logged_in = co_await calls_in_turn(ours_logged_in.side(), s.per_round, result_form::bytes, &into(2));
    const bool changing = co_await calls_in_turn(ours_changing.side(), s.per_round, result_form::bytes, &into(3));
    const bool tls_floor = floor_in_turn(s.per_round, into(4), [&] { return raw_tls->exchange(tls_request); });
    const bool tls = co_await calls_in_turn(ours_tls.side(), s.per_round, result_form::bytes, &into(5));
    fine = floor && clear && logged_in && changing && tls_floor && tls;
    if (!fine || round % (s.quick ? 1 : 5) != 0) continue;
    const bool pair = socket_pair_floor(large_result, kept, all[6].latency);
    const bool large = co_await calls_in_turn(ours_large.side(), 1, result_form::bytes, &all[7].latency);
    const bool blocking = floor_in_turn(1, all[8].latency, [&] { return raw_large->exchange(request); });
    fine = pair && large && blocking;
  }
  for (const int in_flight : {1, 16}) {
    std::vector<double> rounds;
    std::vector<double> floors;
    const int each = std::max(1, s.rounds * s.per_round / in_flight);
    for (int i = 0; fine && i < 5; ++i) {
      floors.push_back(floor_throughput(clear_server->port(), request, in_flight, each));
      const double rate = co_await throughput(ours.side(), in_flight, each, result_form::bytes);
      rounds.push_back(rate);
      fine = floors.back() > 0 && rate > 0;
    }
    if (!fine) break;
    goal rate{.name = std::to_string(in_flight) + " in flight",
              .figure = median(rounds),
              .unit = "calls/s",
              .wanted = goal::side::at_least};
    if (in_flight == 16) {
      rate.name = "P3 " + rate.name;
      rate.bar = s.judged(100'000);
    }
    rates.push_back(std::move(rate));
    rates.push_back({.name = std::to_string(in_flight) + " in flight by blocking calls",
                     .figure = median(floors),
                     .unit = "calls/s",
                     .wanted = goal::side::at_least});
  }
  co_await ours.close();
  co_await ours_logged_in.close();
  co_await ours_changing.close();
  co_await ours_tls.close();
  co_await ours_large.close();
  co_return fine;
}

}  // namespace

bool http(const settings& s, report& into) {
  const auto others = peer_specs(s, into);
  if (!others) {
    std::fprintf(stderr, "hawser-bench: %s\n", others.error().what.c_str());
    return false;
  }
  std::vector<candidate> all{{.name = "blocking keep-alive exchange"}, {.name = "peer over HTTP"},
                             {.name = "the same, logged in"},          {.name = "the same, every head another"},
                             {.name = "blocking exchange, OpenSSL"},   {.name = "peer over HTTPS"},
                             {.name = "5 MB through a socket pair"},   {.name = "a result of 5 MB over HTTP"},
                             {.name = "the same by blocking calls"}};
  std::vector<goal> rates;
  loop home;
  if (!home.run(measure_http(home, s, all, rates))) return false;
  std::vector<goal> goals{
      {.name = "P2 p50, in the clear",
       .figure = all[1].latency.ratio_to(all[0].latency),
       .unit = "x floor",
       .bar = s.judged(1.25)},
      {.name = "P2 p50, under TLS",
       .figure = all[5].latency.ratio_to(all[4].latency),
       .unit = "x floor",
       .bar = s.judged(1.25)},
      {.name = "P5 p50, 5 MB",
       .figure = all[7].latency.ratio_to(all[6].latency),
       .unit = "x floor",
       .bar = s.judged(2.0)},
      {.name = "5 MB by blocking calls", .figure = all[8].latency.ratio_to(all[6].latency), .unit = "x floor"}};
  goals.insert(goals.end(), rates.begin(), rates.end());
  // Each with its own floor.
  const auto part = [&](std::size_t from, std::size_t to) {
    return std::vector<candidate>{std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(from)),
                                  std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(to))};
  };
  into.add(latency_table{"one tools/call over HTTP and back", part(0, 4)});
  into.add(latency_table{"one tools/call over HTTPS and back", part(4, 6)});
  into.add(latency_table{"one result of 5 MB over HTTP", part(6, 9)});
  into.add(figure_list{"tools/call over HTTP", std::move(goals)});
  return others->empty() || side_by_side_over_http(s, *others, into);
}

}  // namespace hawser::bench
