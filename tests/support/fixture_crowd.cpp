// SPDX-License-Identifier: MIT
// One of many programs that share a login: threads with one hub each, which call a server repeatedly until stdin ends
// and then report the results.
//
//   fixture_crowd NAME THREADS LOGIN_FILE URL
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../../host/hub.hpp"
#include "../../runtime/async/sleep.hpp"

namespace {

using namespace hawser;

struct report {
  std::mutex guard{};
  int calls = 0;
  int failures = 0;
  int prompts = 0;
  std::string first_failure{};
};

std::atomic<bool> enough = false;

task<void> keep_calling(hub& h, std::string name, report& into) {
  auto opened = co_await h.open();
  auto ready = co_await h.ready("r");
  int calls = 0;
  int failures = ready ? 0 : 1;
  std::string first_failure = ready ? "" : "it is not ready: " + ready.error().what;
  while (ready && !enough) {
    auto answer = co_await h.call("r__echo", R"({"who":")" + name + R"("})");
    ++calls;
    if (answer && answer->text() == "ok") continue;
    if (++failures == 1) first_failure = answer ? answer->text() : answer.error().what;
    // A call that fails at once would starve the other coroutines of this loop.
    auto slept = co_await sleep_for(std::chrono::milliseconds{10});
    if (!slept) break;
  }
  const auto last = h.status("r");
  auto closed = co_await h.close();
  const std::scoped_lock lock{into.guard};
  into.calls += calls;
  into.failures += failures + (opened && closed ? 0 : 1);
  into.prompts += last && last->state == server_state::needs_auth ? 1 : 0;
  if (into.first_failure.empty()) into.first_failure = first_failure;
}

void one_thread(const std::string& name, const std::string& file, const std::string& url, report& into) {
  server_settings remote{.name = "r", .transport = http_settings{.url = url}};
  remote.protocol.era = protocol_choice::kind::legacy;
  hub_options options{.login_file = file, .allow_spawn = false};
  loop l;
  hub h{l, {.servers = {std::move(remote)}}, std::move(options)};
  l.run(keep_calling(h, name, into));
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) return 2;
  report all;
  std::vector<std::thread> threads;
  for (int i = 0; i < std::stoi(words[2]); ++i)
    threads.emplace_back(one_thread, std::string{words[1]} + '.' + std::to_string(i), words[3], words[4],
                         std::ref(all));
  char byte = 0;
  while (::read(STDIN_FILENO, &byte, 1) > 0) {
  }
  enough = true;
  for (std::thread& one : threads) one.join();
  std::printf("%d calls, %d failures, %d prompts%s%s\n", all.calls, all.failures, all.prompts,
              all.first_failure.empty() ? "" : ": ", all.first_failure.c_str());
  return all.calls > 0 && all.failures == 0 && all.prompts == 0 ? 0 : 1;
}
