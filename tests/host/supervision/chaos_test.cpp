// SPDX-License-Identifier: MIT
// Thousands of calls from several threads while somebody kills the servers: each call ends once, soon after the death
// of its server, and nothing is executed twice or although the host says that it was not.
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <semaphore>
#include <thread>

#include "../../../host/host.hpp"
#include "../../support/fixture.hpp"
#include "../../support/scheduling_delay.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/ut.hpp"

namespace chaos_test {

using namespace hawser;
using namespace std::chrono_literals;
using moment = std::chrono::steady_clock::time_point;

constexpr int server_count = 8;
constexpr int thread_count = 4;
constexpr int calls_of_a_thread = testing::instrumented ? 400 : 2'500;
constexpr int call_count = thread_count * calls_of_a_thread;

std::string server_name(int number) { return "s" + std::to_string(number); }

struct call_record {
  int server = 0;
  moment begin{};
  moment end{};
  std::atomic<int> ends = 0;
  bool answered = false;
  execution executed = execution::unknown;  // of one that failed
};

struct death {
  int server = 0;
  moment told{};  // by the signal
  moment gone{};  // the system has taken everything from it; seen at this time at the latest
};

host_settings eight_servers(const std::string& journal, const std::string& token) {
  host_settings settings;
  for (int i = 0; i < server_count; ++i) {
    server_settings s{.name = server_name(i)};
    s.transport = stdio_settings{.command = testing::program("fixture_server"), .args = {"--journal", journal, token}};
    // Both eras; said, not found out, so that a death during the question is a failed start like any other.
    s.protocol.era = i % 2 == 0 ? protocol_choice::kind::legacy : protocol_choice::kind::modern;
    s.restarts = {.first_pause = 1ms, .longest_pause = 10ms, .starts = 1'000'000};
    s.ladder = {.after_stdin = 200ms, .after_sigterm = 200ms, .after_sigkill = 10s};
    settings.servers.push_back(std::move(s));
  }
  return settings;
}

// One thread's calls, up to 16 at a time, by callbacks and by handles in turn.
void make_calls(host& of, std::vector<call_record>& records, int first, unsigned seed) {
  std::mt19937 random{seed};
  std::counting_semaphore<> places{16};
  for (int i = first; i < first + calls_of_a_thread; ++i) {
    call_record& mine = records[static_cast<std::size_t>(i)];
    mine.server = static_cast<int>(random() % server_count);
    const std::string tool = server_name(mine.server) + "__work";
    boost::json::object arguments{{"id", std::to_string(i)}, {"delay_ms", random() % 4}};
    const auto ended = [&mine](const result<envelope>& answer) {
      mine.end = std::chrono::steady_clock::now();
      mine.answered = answer.has_value();
      if (!answer) mine.executed = answer.error().executed;
      ++mine.ends;
    };
    mine.begin = std::chrono::steady_clock::now();
    if (i % 8 == 0) {
      auto handle = of.call(tool, std::move(arguments));
      ended(handle.get());
    } else {
      places.acquire();
      of.call(tool, std::move(arguments), {}, [&places, ended](const result<envelope>& answer) {
        ended(answer);
        places.release();
      });
    }
    // A host without its servers answers at once: callers that took no notice would be done before they are back.
    if (mine.ends > 0 && !mine.answered) std::this_thread::sleep_for(1ms);
  }
  for (int i = 0; i < 16; ++i) places.acquire();
}

// When it was told to end, and when it had: on a machine without a free processor that is not the same time.
std::optional<std::pair<moment, moment>> kill_and_see(int pid) {
  const int process = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (process < 0) return std::nullopt;
  const moment told = std::chrono::steady_clock::now();
  const bool killed = kill(pid, SIGKILL) == 0;
  pollfd end{.fd = process, .events = POLLIN, .revents = 0};
  const bool gone = killed && poll(&end, 1, 10'000) == 1;
  const moment now = std::chrono::steady_clock::now();
  close(process);
  if (!gone) return std::nullopt;
  return std::pair{told, now};
}

std::vector<death> kill_servers(host& of, const std::atomic<bool>& done, unsigned seed) {
  std::mt19937 random{seed};
  std::vector<death> deaths;
  while (!done) {
    std::this_thread::sleep_for(std::chrono::milliseconds{5 + random() % 15});
    const int victim = static_cast<int>(random() % server_count);
    for (const server_status& one : of.status()) {
      if (one.name != server_name(victim) || one.pid <= 0) continue;
      if (const auto seen = kill_and_see(one.pid)) deaths.push_back({victim, seen->first, seen->second});
    }
  }
  return deaths;
}

std::map<int, int> executions(const std::string& journal) {
  std::map<int, int> times;
  std::ifstream lines{journal};
  for (int id = 0; lines >> id;) ++times[id];
  return times;
}

void judge(const std::vector<call_record>& records, const std::vector<death>& deaths,
           const std::map<int, int>& executed, std::chrono::nanoseconds late) {
  int answered = 0;
  int unknown = 0;
  for (int i = 0; i < call_count; ++i) {
    const call_record& one = records[static_cast<std::size_t>(i)];
    expect(one.ends.load() == 1_i) << "call" << i << "ended" << one.ends.load() << "times";
    const auto found = executed.find(i);
    const int times = found == executed.end() ? 0 : found->second;
    const bool known_not = !one.answered && one.executed == execution::no;
    expect(times <= 1_i) << "call" << i << "was executed" << times << "times";
    if (one.answered) expect(times == 1_i) << "call" << i << "was answered and not executed";
    if (known_not) expect(times == 0_i) << "call" << i << "was executed, and the host says no";
    answered += one.answered ? 1 : 0;
    unknown += !one.answered && !known_not ? 1 : 0;
  }
  // The host's thread and the caller's each wait for a processor as long as others do on this machine. Now and then one
  // waits longer, for a disk that is written to, say: so hardly any call may, and none much longer.
  std::vector<std::chrono::nanoseconds> waits;
  for (const death& d : deaths) {
    for (const call_record& one : records) {
      if (one.server == d.server && one.begin <= d.told && one.end >= d.told) waits.push_back(one.end - d.gone);
    }
  }
  expect(fatal(waits.size() > 20_ul)) << waits.size() << "calls saw the end of their server";
  std::sort(waits.begin(), waits.end());
  const std::chrono::nanoseconds nearly_all = waits[waits.size() * 95 / 100];
  expect(nearly_all <= 100ms + 2 * late) << nearly_all / 1ms << "ms after the end of its server, others wait"
                                         << late / 1ms;
  expect(waits.back() <= 1s + 2 * late) << waits.back() / 1ms << "ms after the end of its server, others wait"
                                        << late / 1ms;
  expect(answered > call_count / 4 && unknown > 0) << answered << "answered," << unknown << "unknown";
  expect(deaths.size() > 10_ul) << deaths.size() << "deaths";
}

const suite<"chaos"> tests = [] {
  "thousands of calls over eight servers that get killed: each ends once and in time, none is executed twice"_test =
      [] {
        const testing::temporary_folder folder;
        const std::string token = testing::new_token();
        std::vector<call_record> records(static_cast<std::size_t>(call_count));
        std::vector<death> deaths;
        const testing::scheduling_delay machine;
        {
          host of{eight_servers(folder / "journal", token)};
          expect(of.start().has_value());
          auto all = of.settled().get();
          expect(all.has_value());
          std::atomic<bool> done = false;
          std::thread killer{[&] { deaths = kill_servers(of, done, 7); }};
          std::vector<std::thread> callers;
          for (int i = 0; i < thread_count; ++i)
            callers.emplace_back(
                [&, i] { make_calls(of, records, i * calls_of_a_thread, 100 + static_cast<unsigned>(i)); });
          for (std::thread& one : callers) one.join();
          done = true;
          killer.join();
          of.stop();
        }
        judge(records, deaths, executions(folder / "journal"), machine.worst());
        expect(testing::survivors(token, 2000).empty());
      };
};

}  // namespace chaos_test
