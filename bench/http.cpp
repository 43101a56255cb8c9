// SPDX-License-Identifier: MIT
// What does one tools/call over HTTP cost, in the clear and under TLS, against blocking keep-alive exchanges with the
// same server? One after the other, many at once, and one of 5 MB.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <thread>

#include "../runtime/dns.hpp"
#include "../runtime/scope.hpp"
#include "../transports/http_channel.hpp"
#include "connection.hpp"
#include "progress.hpp"
#include "questions.hpp"
#include "web_floor.hpp"

namespace hawser::bench {

namespace {

using std::chrono::steady_clock;

// What Hawser sends, byte for byte, so that the floor sends no less.
std::string floor_request(int port) {
  std::string body = echo_line();
  body.pop_back();
  return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
         "\r\nAccept: application/json, text/event-stream\r\nAccept-Encoding: identity\r\nContent-Type: "
         "application/json\r\nMCP-Protocol-Version: 2025-11-25\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

// Hawser's side: a peer over an http_channel that has shaken hands.
class web_connection {
 public:
  web_connection(loop& home, resolver& names, http_channel_options options)
      : wire_(home, names, std::move(options)), side_(home, wire_, listener_) {}
  task<bool> open() {
    auto opened = co_await wire_.open(side_);
    if (!opened) co_return false;
    wire_.negotiated({"2025-11-25"});
    co_return true;
  }
  task<void> close() {
    auto closed = co_await wire_.close();
    ignore(closed, "the numbers are taken");
  }
  [[nodiscard]] peer& side() noexcept { return side_; }

 private:
  http_channel wire_;
  nobody_listens listener_;
  peer side_;
};

task<bool> in_turn(peer& to, int count, distribution* into) {
  for (int i = 0; i < count; ++i) {
    const auto begin = steady_clock::now();
    auto answer = co_await to.call(echo_request(), echo_arguments(), usual_deadlines());
    if (!answer) {
      std::fprintf(stderr, "hawser-bench: %s\n", answer.error().what.c_str());
      co_return false;
    }
    if (into != nullptr) into->add(steady_clock::now() - begin);
  }
  if (into != nullptr) into->end_round();
  co_return true;
}

bool floor_in_turn(blocking_web& raw, const std::string& request, int count, distribution& into) {
  for (int i = 0; i < count; ++i) {
    const auto begin = steady_clock::now();
    if (!raw.exchange(request)) return false;
    into.add(steady_clock::now() - begin);
  }
  into.end_round();
  return true;
}

task<void> one_caller(peer& to, int count, bool& fine) {
  const bool answered = co_await in_turn(to, count, nullptr);
  fine = fine && answered;
}

task<double> throughput(peer& to, int in_flight, int each) {
  bool fine = true;
  scope callers{co_await this_context()};
  const auto begin = steady_clock::now();
  for (int i = 0; i < in_flight; ++i) callers.spawn(one_caller(to, each, fine));
  co_await callers.join();
  const std::chrono::duration<double> took = steady_clock::now() - begin;
  co_return fine ? in_flight* each / took.count() : 0;
}

// The floor of a large result, of P5: as many bytes through a socket pair, written by a thread.
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
  const auto begin = steady_clock::now();
  bool fine = write(ends[0], "g", 1) == 1;
  for (std::size_t got = 0; fine && got < size;) {
    const ssize_t count = read(ends[0], into.data() + got, size - got);
    fine = count > 0;
    if (fine) got += static_cast<std::size_t>(count);
  }
  times.add(steady_clock::now() - begin);
  times.end_round();
  writer.join();
  close(ends[0]);
  close(ends[1]);
  return fine;
}

http_channel_options options_for(const std::string& url) {
  http_channel_options options;
  options.to = http_url::parse(url).value();
  return options;
}

std::string url_of(const char* scheme, int port) {
  return std::string{scheme} + "://127.0.0.1:" + std::to_string(port) + "/mcp";
}

constexpr std::size_t large_result = 5'000'000;

task<bool> measure(loop& home, const settings& s, std::vector<candidate>& all, std::vector<goal>& rates) {
  const certificate_file certificate;
  auto clear_server = web_server::start();
  auto tls_server = web_server::start({"--tls", certificate.path()});
  auto large_server = web_server::start({"--result", std::to_string(large_result)});
  if (!clear_server || !tls_server || !large_server) co_return false;
  auto raw = blocking_web::connect(clear_server->port(), blocking_web::wire::clear);
  auto raw_tls = blocking_web::connect(tls_server->port(), blocking_web::wire::tls);
  auto raw_large = blocking_web::connect(large_server->port(), blocking_web::wire::clear);
  auto trusted = tls_context::client({.ca_file = certificate.path()});
  if (!raw || !raw_tls || !raw_large || !trusted) co_return false;
  ares_resolver names;
  http_channel_options under_tls = options_for(url_of("https", tls_server->port()));
  under_tls.client.tls = *trusted;
  web_connection ours{home, names, options_for(url_of("http", clear_server->port()))};
  web_connection ours_tls{home, names, std::move(under_tls)};
  web_connection ours_large{home, names, options_for(url_of("http", large_server->port()))};
  bool fine = co_await ours.open();
  fine = co_await ours_tls.open() && fine;
  fine = co_await ours_large.open() && fine;
  const std::string request = floor_request(clear_server->port());
  const std::string tls_request = floor_request(tls_server->port());
  distribution warm_up;
  std::string kept;
  for (int round = -1; fine && round < s.rounds; ++round) {
    show_progress("http", round, s.rounds);
    const auto into = [&](std::size_t i) -> distribution& { return round < 0 ? warm_up : all[i].latency; };
    const bool floor = floor_in_turn(*raw, request, s.per_round, into(0));
    const bool clear = co_await in_turn(ours.side(), s.per_round, &into(1));
    const bool tls_floor = floor_in_turn(*raw_tls, tls_request, s.per_round, into(2));
    const bool tls = co_await in_turn(ours_tls.side(), s.per_round, &into(3));
    fine = floor && clear && tls_floor && tls;
    if (!fine || round % 5 != 0) continue;
    const bool pair = socket_pair_floor(large_result, kept, all[4].latency);
    const bool large = co_await in_turn(ours_large.side(), 1, &all[5].latency);
    const bool blocking = floor_in_turn(*raw_large, request, 1, all[6].latency);
    fine = pair && large && blocking;
  }
  for (const int in_flight : {1, 16}) {
    std::vector<double> rounds;
    rounds.reserve(5);
    const int each = std::max(1, s.rounds * s.per_round / in_flight);
    for (int i = 0; fine && i < 5; ++i) rounds.push_back(co_await throughput(ours.side(), in_flight, each));
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
  }
  co_await ours.close();
  co_await ours_tls.close();
  co_await ours_large.close();
  co_return fine;
}

}  // namespace

bool http(const settings& s, report& into) {
  std::vector<candidate> all{{.name = "blocking keep-alive exchange"}, {.name = "peer over HTTP"},
                             {.name = "blocking exchange, OpenSSL"},   {.name = "peer over HTTPS"},
                             {.name = "5 MB through a socket pair"},   {.name = "a result of 5 MB over HTTP"},
                             {.name = "the same by blocking calls"}};
  std::vector<goal> rates;
  loop home;
  if (!home.run(measure(home, s, all, rates))) return false;
  std::vector<goal> goals{
      {.name = "P2 p50, in the clear",
       .figure = all[1].latency.ratio_to(all[0].latency),
       .unit = "x floor",
       .bar = s.judged(1.25)},
      {.name = "P2 p50, under TLS",
       .figure = all[3].latency.ratio_to(all[2].latency),
       .unit = "x floor",
       .bar = s.judged(1.25)},
      {.name = "P5 p50, 5 MB",
       .figure = all[5].latency.ratio_to(all[4].latency),
       .unit = "x floor",
       .bar = s.judged(2.0)},
      {.name = "5 MB by blocking calls", .figure = all[6].latency.ratio_to(all[4].latency), .unit = "x floor"}};
  goals.insert(goals.end(), rates.begin(), rates.end());
  into.add(latency_table{"one tools/call over HTTP and back", std::move(all)});
  into.add(figure_list{"tools/call over HTTP", std::move(goals)});
  return true;
}

}  // namespace hawser::bench
