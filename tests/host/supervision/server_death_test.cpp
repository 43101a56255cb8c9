// SPDX-License-Identifier: MIT
// Servers that die, hang or go deaf while calls are pending: every call ends once, in time, and says whether it can
// have been executed; then the server comes back.
#include <csignal>
#include <fstream>

#include "../../support/hub_fixture.hpp"
#include "../../support/keeper_process.hpp"
#include "../../support/send_signal.hpp"
#include "../../support/temporary_folder.hpp"

namespace server_death_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::call_outcome;
using testing::contains;
using testing::hub_fixture;
using testing::manual_clock;
using testing::processes_with;
using testing::record_call;
using testing::with_hub;
using state = server_state;

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in{file};
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// A hundred calls of which the pipe takes only the first ones, then SIGKILL. Says when the last of them had ended.
task<duration> kill_under_calls(hub_fixture& h) {
  co_await h.until("a", state::ready);
  scope calls{co_await this_context()};
  std::vector<call_outcome> got(100);
  const std::string arguments = R"({"text":")" + std::string(20'000, 'x') + "\"}";
  for (call_outcome& one : got) calls.spawn(record_call(h.of, one, "a__echo", arguments));
  auto sent = co_await sleep_for(50ms);
  expect(sent.has_value());
  const auto killed = std::chrono::steady_clock::now();
  testing::send_signal(h.pid("a"), SIGKILL);
  co_await calls.join();
  std::size_t unsent = 0;
  duration longest{};
  for (const call_outcome& one : got) {
    const bool no = one.failed_with(errc::closed, execution::no);
    expect(no || one.failed_with(errc::closed, execution::unknown)) << one.said();
    expect(contains(one.said(), "server \"a\"") && contains(one.said(), "signal 9")) << one.said();
    longest = std::max<duration>(longest, one.at - killed);
    if (no) ++unsent;
  }
  expect(unsent > 50_ul && unsent < got.size()) << unsent;
  co_await h.until("a", state::degraded);
  co_return longest;
}

task<void> killed_with_calls(hub_fixture& h) {
  duration took = co_await kill_under_calls(h);
  expect(contains(h.of.status("a")->advice, "started again in 1.")) << h.of.status("a")->advice;
  const call_outcome meanwhile = co_await h.call("a__echo");
  expect(meanwhile.failed_with(errc::closed, execution::no)) << meanwhile.said();
  const server_status back = co_await h.until("a", state::ready);
  expect(back.restarts == 1_ul);
  // Other programs may have had the processors for longer than that; but not time and again.
  const duration bound = testing::instrumented ? 500ms : 100ms;
  for (int again = 0; took > bound && again < 3; ++again) took = co_await kill_under_calls(h);
  expect(took <= bound) << took / 1ms << "ms";
}

task<void> killed_alone(hub_fixture& h) {
  h.add(h.shell("a", "begin; exec sleep 60"));
  co_await killed_with_calls(h);
}

// The pipes stay open in its child's hands, so that only the death itself says anything.
task<void> killed_with_child(hub_fixture& h) {
  h.add(h.shell("a", "begin; sleep 60 & sleep 60; :"));
  co_await killed_with_calls(h);
}

task<void> dies_in_a_call(hub_fixture& h) {
  const testing::temporary_folder folder;
  h.add(h.fixture_server("a", {"--legacy-only", "--journal", folder / "journal", "--die-on-call"}));
  co_await h.until("a", state::ready);
  const call_outcome got = co_await h.call("a__work", R"({"id":"one"})");
  expect(got.failed_with(errc::closed, execution::unknown)) << got.said();
  expect(contains(got.said(), "exited with 7") && got.failure->server == "a" && got.failure->phase == "call");
  co_await h.until("a", state::degraded);
  co_await h.until("a", state::ready);  // and its list is read again
  expect(lines_of(folder / "journal") == std::vector<std::string>{"one"}) << "a call was replayed";
  const call_outcome other = co_await h.call("a__work", R"({"id":"two"})");
  expect(other.failed_with(errc::closed, execution::unknown));
  expect(lines_of(folder / "journal") == std::vector<std::string>{"one", "two"});
}

task<void> stopped_by_a_signal(hub_fixture& h) {
  h.add(h.shell("a", "serve"));
  co_await h.until("a", state::ready);
  const int stopped = h.pid("a");
  testing::send_signal(stopped, SIGSTOP);
  scope calls{co_await this_context()};
  call_outcome got;
  const request_options short_of_time{.timeout = 2s};
  calls.spawn(record_call(h.of, got, "a__echo", R"({"text":"for nobody"})", short_of_time));
  co_await h.pass(2s);
  co_await calls.join();
  expect(got.failed_with(errc::timed_out, execution::unknown)) << got.said();
  expect(h.of.status("a")->state == state::ready) << "one call that takes long is no proof";
  co_await h.pass(30s);
  const server_status ended = co_await h.until("a", state::degraded);
  expect(contains(ended.reason, "does not answer")) << ended.reason;
  expect(kill(stopped, 0) != 0_i);
  co_await h.pass(1200ms);
  co_await h.until("a", state::ready);
  const call_outcome after = co_await h.call("a__echo");
  expect(after.text == "ok") << after.said();
}

// Merely slow: it answers the question whether it is there, and is left alone.
task<void> only_slow(hub_fixture& h) {
  h.add(h.shell("a", "begin; while request; do usual || : ; done"));
  const server_status before = co_await h.until("a", state::ready);
  scope calls{co_await this_context()};
  call_outcome got;
  const request_options short_of_time{.timeout = 2s};
  calls.spawn(record_call(h.of, got, "a__echo", "{}", short_of_time));
  co_await h.pass(2s);
  co_await calls.join();
  expect(got.failed_with(errc::timed_out, execution::unknown));
  auto alive = co_await h.of.request("a", "ping", "");
  expect(alive.has_value());  // and so was ours, which came first
  co_await h.pass(5min);
  const auto after = h.of.status("a");
  expect(after->state == state::ready && after->pid == before.pid && after->restarts == 0_ul) << after->reason;
}

task<void> closes_its_output(hub_fixture& h) {
  h.add(h.shell("a", "begin; request; exec >&-; exec sleep 60"));
  co_await h.until("a", state::ready);
  const call_outcome got = co_await h.call("a__echo");
  expect(got.failed_with(errc::closed, execution::unknown)) << got.said();
  expect(contains(got.said(), "closed its output and goes on running")) << got.said();
  co_await h.until("a", state::degraded);
  expect(processes_with(h.token).empty()) << "it is killed before it is started again";
  co_await h.until("a", state::ready);
}

task<void> closes_its_input(hub_fixture& h) {
  h.add(h.shell("a", "begin; exec <&-; exec sleep 60"));
  co_await h.until("a", state::ready);
  scope calls{co_await this_context()};
  std::vector<call_outcome> got(10);
  for (call_outcome& one : got) calls.spawn(record_call(h.of, one, "a__echo", "{}"));
  co_await calls.join();
  for (const call_outcome& one : got) {
    expect(one.ends == 1_i && one.failure.has_value() && one.failure->code == errc::closed) << one.said();
    expect(contains(one.said(), "closed its input")) << one.said();
  }
  co_await h.until("a", state::degraded);
  expect(processes_with(h.token).empty());
  co_await h.until("a", state::ready);
}

task<void> never_reads(hub_fixture& h) {
  h.add(h.shell("deaf", "begin; exec sleep 60"));
  h.add(h.shell("good", "serve"));
  co_await h.until("deaf", state::ready);
  co_await h.until("good", state::ready);
  scope calls{co_await this_context()};
  std::vector<call_outcome> got(40);
  const std::string arguments = R"({"text":")" + std::string(100'000, 'x') + "\"}";
  const request_options patience{.timeout = 300ms};
  for (call_outcome& one : got) calls.spawn(record_call(h.of, one, "deaf__echo", arguments, patience));
  const call_outcome fine = co_await h.call("good__echo");
  expect(fine.text == "ok") << fine.said();
  co_await calls.join();
  std::size_t refused = 0;
  for (const call_outcome& one : got) {
    if (one.failed_with(errc::too_large, execution::no)) ++refused;
    expect(one.ends == 1_i && one.failure.has_value());
    expect(one.failure->code == errc::too_large || one.failure->code == errc::timed_out) << one.said();
  }
  expect(refused >= 25_ul && refused < 35_ul) << refused << "of a megabyte that may wait";
}

task<void> crash_loop(hub_fixture& h) {
  const testing::temporary_folder f;
  const std::string sign = f / "end";  // without it, a busy machine might not see that it was ready
  h.add(h.shell("a", "begin; while ! rm " + sign + " 2> /dev/null; do sleep 0.01; done; exit 3"));
  const time_point begin = h.home.now();
  duration pause = 1s;
  std::size_t starts = 1;
  for (;; ++starts) {
    co_await h.until("a", state::ready);
    std::ofstream{sign}.flush();
    while (h.of.status("a")->state == state::ready) {
      h.changed.reset();
      auto more = co_await h.changed.wait();
      expect(more.has_value());
    }
    if (h.of.status("a")->state == state::failed) break;
    expect(contains(h.of.status("a")->reason, "exited with 3")) << h.of.status("a")->reason;
    co_await h.pass(pause - 1ms);
    expect(h.of.status("a")->restarts == starts - 1) << "too early";
    co_await h.pass(pause / 5 + 1ms);
    expect(h.of.status("a")->restarts == starts) << "too late";
    pause = std::min<duration>(2 * pause, 60s);
  }
  expect(starts == 10_ul && h.home.now() - begin < 10min) << starts;
  expect(contains(h.of.status("a")->reason, "it keeps ending") && contains(h.of.status("a")->advice, "restart it"));
  for (int i = 0; i < 60; ++i) co_await h.pass(1min);
  expect(h.of.status("a")->restarts == 9_ul && h.of.status("a")->state == state::failed);
  auto again = h.of.restart("a");
  expect(again.has_value());
  co_await h.until("a", state::ready);
  std::ofstream{sign}.flush();
  co_await h.until("a", state::degraded);
}

task<void> stable_for_a_while(hub_fixture& h) {
  h.add(h.shell("a", "serve"));
  for (const duration uptime : {1s, 1s, 121s, 1s}) {
    co_await h.until("a", state::ready);
    co_await h.pass(uptime);
    testing::send_signal(h.pid("a"), SIGKILL);
    co_await h.until("a", state::degraded);
    const bool anew = uptime > 2min || h.of.status("a")->restarts == 0;
    co_await h.pass(1200ms);
    expect((h.of.status("a")->state != state::degraded) == anew) << h.of.status("a")->advice;
    co_await h.pass(5s);
  }
}

// Each start of a host has no more patience than the keeper is given: what one has found out, the next must know.
task<void> its_keeper_hangs(hub_fixture& h) {
  h.add(h.shell("a", "serve"));
  co_await h.until("a", state::ready);
  const int hanging = testing::pid_of_keeper();
  testing::stop_process(hanging);
  testing::send_signal(h.pid("a"), SIGKILL);
  co_await h.until("a", state::degraded);
  const time_point begin = h.home.now();
  while (testing::is_stopped(hanging) && h.home.now() - begin < 10min) co_await h.pass(1s);
  expect(h.home.now() - begin < 2min);
  co_await h.until("a", state::ready);
  const call_outcome fine = co_await h.call("a__echo");
  expect(fine.text == "ok") << fine.said();
}

void without_time(testing::hub_body inside) {
  manual_clock clock{manual_clock::when_idle::stand_still};
  with_hub(inside, {}, {}, &clock);
}

const suite<"server death"> tests = [] {
  "A08 a hundred calls of a killed server end within 100 ms, the unsent ones as not executed"_test = [] {
    with_hub(killed_alone);
  };
  "A08 the same where a child of the server keeps its pipes"_test = [] { with_hub(killed_with_child); };
  "A09 a call whose server dies in the middle of it is not made again"_test = [] { with_hub(dies_in_a_call); };
  "A10 a server that is stopped by a signal is noticed by a call, asked, and started again"_test = [] {
    std::string sent;
    hub_options options;
    options.trace = [&](std::string_view, std::string_view line) { sent += line; };
    manual_clock clock{manual_clock::when_idle::stand_still};
    with_hub(stopped_by_a_signal, {}, options, &clock);
    expect(contains(sent, "notifications/cancelled")) << sent;
  };
  "A10 a server that is slow with one call is left alone"_test = [] { without_time(only_slow); };
  "A11 a server that closes its output is as good as dead"_test = [] { with_hub(closes_its_output); };
  "A12 a server that closes its input is as good as dead"_test = [] { with_hub(closes_its_input); };
  "A13 what a server does not read is limited, and nobody else is held up"_test = [] {
    host_settings settings;
    settings.limits.max_queued = 1'000'000;
    with_hub(never_reads, settings);
  };
  "A30 a server that dies after every handshake is started ten times in ten minutes, then given up"_test = [] {
    without_time(crash_loop);
  };
  "a server whose keeper hangs is started again by another one"_test = [] { without_time(its_keeper_hangs); };
  "A30 a server that ran for two minutes begins anew"_test = [] { without_time(stable_for_a_while); };
};

}  // namespace server_death_test
