// SPDX-License-Identifier: MIT
// Process trees of servers: what is stopped is gone, whatever it does against it, and soon enough.
#include <csignal>
#include <fstream>

#include "../../support/hub_fixture.hpp"
#include "../../support/temporary_folder.hpp"

namespace server_tree_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::call_outcome;
using testing::contains;
using testing::hub_fixture;
using testing::processes_with;
using testing::with_hub;
using state = server_state;

task<void> remove(hub_fixture& h, std::string name, std::chrono::milliseconds least, std::chrono::milliseconds most) {
  const auto begin = std::chrono::steady_clock::now();
  auto removed = co_await h.of.remove_server(name);
  const auto took = std::chrono::steady_clock::now() - begin;
  expect(removed.has_value()) << (removed ? "" : removed.error().what);
  expect(processes_with(h.token + '-' + name).empty()) << "removed is gone";
  expect(took >= least && took < most) << took / 1ms << "ms";
}

task<void> ignores_everything(hub_fixture& h) {
  const shutdown_timeouts usual;
  expect(usual.after_stdin + usual.after_sigterm + usual.after_sigkill <= 5s) << "a stop takes five seconds at most";
  server_settings stubborn = h.shell("a", "trap '' TERM; begin; while :; do sleep 60; done");
  stubborn.ladder = {.after_stdin = 50ms, .after_sigterm = 100ms, .after_sigkill = 10s};
  h.add(std::move(stubborn));
  server_settings deaf = h.fixture_server("b", {"--ignore-eof"});
  deaf.ladder = {.after_stdin = 50ms, .after_sigterm = 10s, .after_sigkill = 10s};
  h.add(std::move(deaf));
  co_await h.until("a", state::ready);
  co_await h.until("b", state::ready);
  co_await remove(h, "a", 140ms, 4s);
  co_await remove(h, "b", 40ms, 8s);  // SIGTERM is enough for this one
}

// As npx does: the process that was started goes, another one serves.
task<void> launcher(hub_fixture& h) {
  h.add(h.shell("a", "exec 3<&0; (serve; sleep 60) <&3 & exit 0"));
  co_await h.until("a", state::ready);
  const call_outcome got = co_await h.call("a__echo");
  expect(got.text == "ok") << got.said();
  co_await remove(h, "a", 0ms, 4s);
}

task<void> daemon(hub_fixture& h) {
  const testing::temporary_folder folder;
  const std::string serve =
      "echo $$ >" + folder / "pid" + "; trap '' TERM; exec <&- >&- 2>&-; while :; do sleep 60; done";
  h.add(h.shell("a", "setsid setsid /bin/sh -c '" + serve + "' \"$0\" & begin; serve"));
  co_await h.until("a", state::ready);
  int pid = 0;
  while (!(std::ifstream{folder / "pid"} >> pid)) co_await hub_fixture::turns(1);
  expect(kill(pid, 0) == 0_i && pid != h.pid("a"));
  co_await remove(h, "a", 0ms, 8s);
  expect(kill(pid, 0) != 0_i) << "it left group and session, and is killed all the same";
}

// All archetypes of servers at once, as a host has them when it is told to end.
task<void> all_at_once(hub_fixture& h) {
  for (int i = 0; i < 3; ++i) {
    const std::string n = std::to_string(i);
    h.add(h.fixture_server("good" + n));
    h.add(h.fixture_server("deaf" + n, {"--ignore-eof"}));
    h.add(h.shell("stubborn" + n, "trap '' TERM; begin; while :; do sleep 60; done"));
    h.add(h.shell("hanging" + n, "trap '' TERM; while :; do sleep 60; done"));
    h.add(h.shell("failing" + n, "exit 1"));
  }
  for (int i = 0; i < 3; ++i) {
    co_await h.until("good" + std::to_string(i), state::ready);
    co_await h.until("stubborn" + std::to_string(i), state::ready);
  }
  const auto begin = std::chrono::steady_clock::now();
  auto closed = co_await h.of.close();
  expect(closed.has_value() && processes_with(h.token).empty());
  expect(std::chrono::steady_clock::now() - begin < 5s) << "together, and not one after another";
}

// Field 6 of its stat is its session, field 7 its terminal.
task<void> terminal(hub_fixture& h) {
  h.add(h.shell("a", R"sh(
begin; request; read -r stat </proc/$$/stat; set -- $stat
if (: >/dev/tty) 2>/dev/null; then tty=yes; else tty=no; fi
if (read -r line </dev/tty) 2>/dev/null; then tty=yes; fi
answer "{\"content\":[{\"type\":\"text\",\"text\":\"session ${6} terminal ${7} $tty\"}]}"; serve)sh"));
  co_await h.until("a", state::ready);
  const call_outcome got = co_await h.call("a__echo");
  expect(got.text == "session " + std::to_string(h.pid("a")) + " terminal 0 no") << got.said();
}

// It takes no notice that nobody reads, and keeps a processor busy; neither end of input nor SIGTERM moves it.
task<void> spins(hub_fixture& h) {
  h.add(h.shell("a", "trap '' PIPE TERM; begin; while :; do printf x; done 2>/dev/null"));
  const server_status ended = co_await h.until("a", state::degraded);  // by its endless line
  expect(contains(ended.reason, "65536 bytes")) << ended.reason;
  expect(processes_with(h.token).empty());
  h.add(h.shell("b", "trap '' PIPE TERM; begin; exec <&- >&-; while :; do :; done"));
  const server_status other = co_await h.until("b", state::degraded);
  expect(contains(other.reason, "goes on running")) << other.reason;
  expect(processes_with(h.token + "-b").empty());
}

const suite<"server tree"> tests = [] {
  "A23 a server that ignores SIGTERM is killed after the grace"_test = [] { with_hub(ignores_everything); };
  "A24 a launcher that exits is not waited for, and who serves in its place is ended with it"_test = [] {
    with_hub(launcher);
  };
  "A25 a daemon that a server leaves behind is found and killed"_test = [] { with_hub(daemon); };
  "A26 a host that is told to end has ended all trees within five seconds"_test = [] { with_hub(all_at_once); };
  "A34 a server has no terminal to write to or to wait for"_test = [] { with_hub(terminal); };
  "A35 a server that spins after its pipes are closed is killed"_test = [] {
    host_settings settings;
    settings.limits.max_message = 65'536;
    with_hub(spins, settings);
  };
};

}  // namespace server_tree_test
