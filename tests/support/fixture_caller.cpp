// SPDX-License-Identifier: MIT
// A host that makes calls to four servers, ends many of them early, and records the reported outcome of each as a
// line "ID answered", "ID no" or "ID unknown" (whether the call was executed). The test compares these claims with
// the servers' ledger. It also kills and restarts its own servers at random, and may stop in the middle.
//
//   fixture_caller CLAIMS LEDGER FIRST_ID CALLS SEED LEGACY_URL MODERN_URL TOKEN
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "../../host/host.hpp"
#include "fixture.hpp"

namespace {

using namespace hawser;
using namespace std::chrono_literals;

constexpr int in_flight = 16;

struct assignment {
  int claims = -1;  // a descriptor
  std::string ledger{};
  int first = 0;
  int calls = 0;
  unsigned seed = 0;
  std::string legacy_url{};
  std::string modern_url{};
  std::string token{};
};

host_settings four_servers(const assignment& a) {
  host_settings settings;
  for (const bool modern : {false, true}) {
    const auto era = modern ? protocol_choice::kind::modern : protocol_choice::kind::legacy;
    server_settings child{.name = modern ? "child_modern" : "child_legacy"};
    child.transport =
        stdio_settings{.command = testing::program("fixture_server"), .args = {"--journal", a.ledger, a.token}};
    server_settings remote{.name = modern ? "http_modern" : "http_legacy"};
    remote.transport =
        http_settings{.url = modern ? a.modern_url : a.legacy_url, .type = http_settings::kind::streamable};
    for (server_settings* one : {&child, &remote}) {
      one->protocol.era = era;  // so that a server that exits while it is probed is a failed start like any other
      one->restarts = {.first_pause = 1ms, .longest_pause = 10ms, .starts = 1'000'000};
      one->ladder = {.after_stdin = 200ms, .after_sigterm = 200ms, .after_sigkill = 10s};
      settings.servers.push_back(std::move(*one));
    }
  }
  return settings;
}

void write_claim(int file, int id, const result<envelope>& answer) {
  const std::string_view said = answer ? "answered" : answer.error().executed == execution::no ? "no" : "unknown";
  const std::string line = std::to_string(id) + ' ' + std::string{said} + '\n';
  if (::write(file, line.data(), line.size()) < 0) _exit(3);
}

// Kills server processes, and restarts servers in order, which gives them time to finish what they have read.
void end_servers(host& of, const std::atomic<bool>& done, unsigned seed) {
  std::mt19937 random{seed};
  while (!done) {
    std::this_thread::sleep_for(std::chrono::milliseconds{5 + random() % 30});
    for (const server_status& one : of.status()) {
      const auto drawn = random() % 8;
      if (one.pid > 0 && drawn == 0) kill(one.pid, SIGKILL);
      if (drawn == 1) ignore(of.restart(one.name), "the host is being stopped");
    }
  }
}

// How a call may end other than being answered.
enum class planned_end : std::uint8_t { none, timed_out, stopped_before, stopped_at_once, stopped_soon };

planned_end next_planned_end(std::mt19937& random) {
  const auto drawn = random() % 12;
  return drawn < 8 ? planned_end::none : static_cast<planned_end>(drawn - 7);
}

void make_calls(host& of, const assignment& a) {
  std::mt19937 random{a.seed};
  std::counting_semaphore<> places{in_flight};
  const std::vector<std::string> tools{"child_legacy__work", "child_modern__work", "http_legacy__work",
                                       "http_modern__work"};
  // Half of the runs stop in the middle, with calls in flight.
  const int stop_at = random() % 2 == 0 ? static_cast<int>(random() % static_cast<unsigned>(a.calls)) : -1;
  std::thread stopper;
  for (int i = 0; i < a.calls; ++i) {
    if (i == stop_at) stopper = std::thread{[&of] { of.stop(); }};
    places.acquire();
    const planned_end planned = next_planned_end(random);
    std::stop_source stop;
    request_options settings{.stop = stop.get_token()};
    if (planned == planned_end::timed_out) settings.timeout = std::chrono::milliseconds{1 + random() % 3};
    if (planned == planned_end::stopped_before) stop.request_stop();
    const int id = a.first + i;
    // Large ones fill the pipes, so that others wait in the host.
    const std::string padding(random() % 4 == 0 ? random() % 300'000 : 0, 'x');
    of.call(tools[random() % tools.size()],
            {{"id", std::to_string(id)}, {"delay_ms", random() % 3}, {"padding", padding}}, std::move(settings),
            [&places, id, file = a.claims](const result<envelope>& answer) {
              write_claim(file, id, answer);
              places.release();
            });
    if (planned == planned_end::stopped_at_once) stop.request_stop();
    if (planned == planned_end::stopped_soon) {
      std::this_thread::sleep_for(std::chrono::microseconds{random() % 2'000});
      stop.request_stop();
    }
  }
  for (int i = 0; i < in_flight; ++i) places.acquire();
  if (stopper.joinable()) stopper.join();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 9) return 2;
  const assignment a{.claims = open(argv[1], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600),
                     .ledger = argv[2],
                     .first = std::atoi(argv[3]),
                     .calls = std::atoi(argv[4]),
                     .seed = static_cast<unsigned>(std::atoi(argv[5])),
                     .legacy_url = argv[6],
                     .modern_url = argv[7],
                     .token = argv[8]};
  if (a.claims < 0) return 2;
  host of{four_servers(a)};
  if (!of.start()) return 2;
  auto settled = of.settled().get();
  if (!settled) std::fprintf(stderr, "fixture_caller: %s\n", settled.error().what.c_str());
  std::atomic<bool> done = false;
  std::thread killer{[&] { end_servers(of, done, a.seed + 1); }};
  make_calls(of, a);
  done = true;
  killer.join();
  of.stop();
  return 0;
}
