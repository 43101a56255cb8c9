// SPDX-License-Identifier: MIT
// How much the host process grows per connected idle server. The memory of the servers and of their wardens is not
// counted.
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>

#include "../../host/hub.hpp"
#include "../../runtime/async/sleep.hpp"
#include "../../runtime/loop/loop.hpp"
#include "../floors/http_floor.hpp"
#include "questions.hpp"

namespace hawser::bench {

namespace {

// Private resident pages; pages shared with other processes, such as libraries, are not counted.
double private_bytes() {
  std::ifstream file{"/proc/self/smaps_rollup"};
  std::string word;
  double total = 0;
  while (file >> word) {
    double value = 0;
    if (word == "Private_Clean:" || word == "Private_Dirty:") {
      file >> value;
      total += value * 1024;
    }
  }
  return total;
}

double after_rest() {
  malloc_trim(0);
  return private_bytes();
}

struct growth {
  double pages = 0;  ///< private pages of the process
  double live = 0;   ///< heap bytes in use
};

// The growth for these servers; nullopt if one of them could not be started.
task<std::optional<growth>> grown(loop& home, host_settings of) {
  const auto count = static_cast<double>(of.servers.size());
  const growth before{after_rest(), static_cast<double>(mallinfo2().uordblks)};
  hub servers{home, std::move(of)};
  auto opened = co_await servers.open();
  auto settled = co_await servers.settled();
  auto quiet = co_await sleep_for(std::chrono::milliseconds{200});
  const growth each{(after_rest() - before.pages) / count,
                    (static_cast<double>(mallinfo2().uordblks) - before.live) / count};
  bool fine = opened.has_value() && settled.has_value() && quiet.has_value();
  for (const server_status& one : servers.status()) fine = fine && one.state == server_state::ready;
  auto closed = co_await servers.close();
  if (!fine || !closed) co_return std::nullopt;
  co_return each;
}

task<std::optional<double>> alone(loop& home) {
  hub none{home, host_settings{}};
  auto opened = co_await none.open();
  const double base = after_rest();
  auto closed = co_await none.close();
  if (!opened || !closed) co_return std::nullopt;
  co_return base;
}

}  // namespace

host_settings http_server_configs(int count, int port) {
  host_settings made;
  for (int i = 0; i < count; ++i) {
    made.servers.push_back({.name = "w" + std::to_string(i),
                            .transport = http_settings{.url = "http://127.0.0.1:" + std::to_string(port) + "/mcp"}});
  }
  return made;
}

bool memory(const settings& s, report& into) {
  loop home;
  const auto base = home.run(alone(home));
  // The first servers load code and tables that later ones share.
  const auto web = http_server_process::start();
  const int port = web ? web->port() : 0;
  const auto first = home.run(grown(home, stdio_server_configs(10, 20)));
  const auto first_remote = home.run(grown(home, http_server_configs(10, port)));
  const auto bare = home.run(grown(home, stdio_server_configs(s.rounds, 0)));
  const auto usual = home.run(grown(home, stdio_server_configs(s.rounds, 20)));
  const auto remote = home.run(grown(home, http_server_configs(s.rounds, port)));
  if (!base || !first || !bare || !usual || !first_remote || !remote) {
    std::fprintf(stderr, "hawser-bench: not every server could be started\n");
    return false;
  }
  std::vector<goal> all{
      {.name = "P8 an idle stdio server",
       .figure = std::max(bare->pages, bare->live) / 1000,
       .unit = "kB",
       .bar = s.judged(16)},
      {.name = "the heap has in use for it", .figure = bare->live / 1000, .unit = "kB"},
      {.name = "and each tool of 200 bytes", .figure = (usual->live - bare->live) / 20, .unit = "bytes"},
      {.name = "P8 an idle HTTP server",
       .figure = std::max(remote->pages, remote->live) / 1000,
       .unit = "kB",
       .bar = s.judged(24)},
      {.name = "P8 a host without servers", .figure = *base / 1e6, .unit = "MB", .bar = s.judged(6)},
  };
  into.add(figure_list{"private memory of the host, " + std::to_string(s.rounds) + " servers", std::move(all)});
  return true;
}

}  // namespace hawser::bench
