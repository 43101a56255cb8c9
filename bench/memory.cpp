// SPDX-License-Identifier: MIT
// What the host's process grows by for every server that is connected and has nothing to do. The servers' own memory,
// and that of their wardens, is not the host's.
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "../host/hub.hpp"
#include "../runtime/loop.hpp"
#include "../runtime/sleep.hpp"
#include "goal.hpp"
#include "questions.hpp"

namespace hawser::bench {

namespace {

// Pages that are ours and in memory; shared ones of libraries are counted once for the whole machine.
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

struct figures {
  double base = 0;
  double each = 0;
  bool fine = false;
};

task<figures> measure(loop& home, int count) {
  figures got;
  hub none{home, host_settings{}};
  auto opened = co_await none.open();
  got.base = after_rest();
  auto closed = co_await none.close();
  hub servers{home, bench_servers(count)};
  auto all_open = co_await servers.open();
  auto settled = co_await servers.settled();
  auto quiet = co_await sleep_for(std::chrono::milliseconds{200});
  got.each = (after_rest() - got.base) / count;
  got.fine =
      opened.has_value() && closed.has_value() && all_open.has_value() && settled.has_value() && quiet.has_value();
  for (const server_status& one : servers.status()) got.fine = got.fine && one.state == server_state::ready;
  auto all_closed = co_await servers.close();
  got.fine = got.fine && all_closed.has_value();
  co_return got;
}

}  // namespace

int memory(const settings& s) {
  loop home;
  const figures got = home.run(measure(home, s.rounds));
  if (!got.fine) {
    std::fprintf(stderr, "hawser-bench: not every server could be started\n");
    return 2;
  }
  const std::vector<goal> all{
      {.name = "P8: an idle stdio server of 20 tools", .figure = got.each / 1000, .unit = "kB", .bar = 16},
      {.name = "P8: a host without servers", .figure = got.base / 1e6, .unit = "MB", .bar = 6},
  };
  return print_goals(s, "private memory of the host, " + std::to_string(s.rounds) + " servers", all) ? 0 : 1;
}

}  // namespace hawser::bench
