// SPDX-License-Identifier: MIT
// Whole process trees, ended by stop, by SIGTERM of the host and by SIGKILL of the host: nobody may be left. A longer
// run of the same: ./dev soak processes.
#include <fcntl.h>
#include <linux/sched.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <optional>

#include "../../../runtime/async/when.hpp"
#include "../../../runtime/process/keeper.hpp"
#include "../../support/fixture.hpp"
#include "../../support/run.hpp"
#include "../../support/ut.hpp"

namespace process_tree_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::archetypes;
using testing::fixture_command;
using testing::run;
using testing::survivors;

constexpr shutdown_timeouts quick{.after_stdin = 30ms, .after_sigterm = 30ms, .after_sigkill = 10s};

task<void> start_and_stop_each(std::string token, std::vector<std::string>& strays) {
  const context where = co_await this_context();
  keeper k{*where.loop};
  std::vector<child> children;
  for (const char* mode : archetypes) {
    auto made = co_await k.spawn(fixture_command(token, mode));
    expect(made.has_value()) << mode;
    if (made) children.push_back(std::move(*made));
  }
  // Those that announce themselves are waited for, so that their misbehaviour is under way.
  for (std::size_t i = 0; i < children.size(); ++i) {
    const std::string_view mode = archetypes[i];
    if (!testing::announces_itself(mode)) continue;
    auto ready = co_await children[i].output().read_some();
    expect(ready.has_value()) << mode;
  }
  std::vector<task<result<exit_status>>> stops;
  for (child& c : children) stops.push_back(c.shutdown(quick));
  for (const auto& ended : co_await when_all(std::move(stops))) expect(ended.has_value());
  for (const child& c : children) strays.insert(strays.end(), c.strays().begin(), c.strays().end());
  auto closed = co_await k.close();
  expect(closed.has_value());
}

task<exit_status> stop_one(std::string mode, shutdown_timeouts ladder) {
  const context where = co_await this_context();
  keeper k{*where.loop};
  auto made = co_await k.spawn(fixture_command("x", mode));
  expect(fatal(made.has_value()));
  auto ready = co_await made->output().read_some();
  expect(ready.has_value());
  auto ended = co_await made->shutdown(ladder);
  expect(fatal(ended.has_value()));
  auto again = co_await made->shutdown(ladder);
  expect(again.has_value() && *again == *ended) << "a second shutdown says the same";
  auto closed = co_await k.close();
  expect(closed.has_value());
  co_return *ended;
}

struct host_process {
  pid_t pid = 0;
  bool ready = false;
  std::vector<int> keepers{};  // its keeper and its wardens, which do not carry the token
};

std::vector<int> children_of(int pid) {
  std::ifstream list{"/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children"};
  return {std::istream_iterator<int>{list}, {}};
}

// A zombie is dead: whoever inherited it may take its time to reap it.
bool lives(int pid) {
  std::ifstream stat{"/proc/" + std::to_string(pid) + "/stat"};
  std::string id;
  std::string name;
  std::string state;
  return stat >> id >> name >> state && name.starts_with("(hawser-") && state != "Z";
}

// Starts a fixture_host and waits until all its children run.
host_process start_host(const std::string& token) {
  int said[2];
  if (pipe2(said, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, said[1], 1);
  std::string name = testing::program("fixture_host");
  std::string argument = token;
  char* arguments[] = {name.data(), argument.data(), nullptr};
  host_process host;
  if (posix_spawn(&host.pid, name.c_str(), &actions, nullptr, arguments, environ) != 0) host.pid = 0;
  posix_spawn_file_actions_destroy(&actions);
  close(said[1]);
  char line[6] = {};
  host.ready = read(said[0], line, sizeof line) == sizeof line && std::string_view{line, 5} == "ready";
  close(said[0]);
  for (const int keeper : children_of(host.pid)) {
    host.keepers = children_of(keeper);
    host.keepers.push_back(keeper);
  }
  return host;
}

int wait_for(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

enum class to_whom { the_host, everybody };

// As a service manager does: to every process that there is, in no order.
void signal_everybody(const std::vector<host_process>& hosts, const std::string& token, int number) {
  for (const host_process& host : hosts) {
    for (const int pid : host.keepers) kill(pid, number);
  }
  for (const int pid : testing::processes_with(token)) kill(pid, number);
}

// Several hosts at a time, because each takes a grace period to end.
void end_hosts_by(int signal_number, int times, int patience_ms, to_whom whom = to_whom::the_host) {
  constexpr int at_once = 5;
  for (int done = 0; done < times; done += at_once) {
    const std::string token = testing::new_token();
    std::vector<host_process> hosts;
    for (int i = 0; i < at_once; ++i) hosts.push_back(start_host(token));
    for (const host_process& host : hosts) expect(host.ready);
    if (whom == to_whom::everybody) signal_everybody(hosts, token, signal_number);
    for (const host_process& host : hosts) kill(host.pid, signal_number);
    for (const host_process& host : hosts) {
      const int status = wait_for(host.pid);
      if (signal_number != SIGKILL) expect(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    }
    const auto left = survivors(token, patience_ms);
    expect(left.empty()) << left.size() << "processes are left after signal" << signal_number;
    for (const int pid : left) kill(pid, SIGKILL);
    for (const host_process& host : hosts) {
      expect(host.keepers.size() > archetypes.size() / 2)
          << "some children end by themselves, and their wardens with them";
      for (int patience = 400; patience > 0 && std::any_of(host.keepers.begin(), host.keepers.end(), lives); --patience)
        usleep(5000);
      expect(std::none_of(host.keepers.begin(), host.keepers.end(), lives)) << "a keeper or a warden is left";
    }
  }
}

// A process with this very number, leader of the group of this number, which is none of ours; nothing where the system
// does not let us choose.
std::optional<pid_t> innocent_with(pid_t number) {
  clone_args how{};
  how.exit_signal = SIGCHLD;
  how.set_tid = reinterpret_cast<std::uintptr_t>(&number);
  how.set_tid_size = 1;
  const long made = syscall(SYS_clone3, &how, sizeof how);
  if (made == 0) {
    while (true) pause();
  }
  if (made < 0) return std::nullopt;
  expect(setpgid(static_cast<pid_t>(made), 0) == 0);
  return static_cast<pid_t>(made);
}

// The child has ended and was reaped, and only then somebody else gets its number, while of its tree a process is left
// that has to be killed.
task<void> recycled_number(shutdown_timeouts ladder, std::string mode) {
  const context where = co_await this_context();
  keeper k{*where.loop};
  auto made = co_await k.spawn(fixture_command("x", mode));
  expect(fatal(made.has_value()));
  if (mode != "exit") {
    auto ready = co_await made->output().read_some();
    expect(ready.has_value());
  }
  auto ended = co_await made->exited();
  expect(ended.has_value());
  const auto innocent = innocent_with(made->pid());
  if (!innocent) cfg<override>.skip_this("the system does not let this user choose the number of a process");
  auto stopped = co_await made->shutdown(ladder);
  auto closed = co_await k.close();
  expect(stopped.has_value() && closed.has_value());
  if (!innocent) co_return;
  expect(*innocent == made->pid() && waitpid(*innocent, nullptr, WNOHANG) == 0) << "somebody else was signalled";
  kill(*innocent, SIGKILL);
  expect(WTERMSIG(wait_for(*innocent)) == SIGKILL);
}

task<std::vector<std::string>> strays_of(std::string mode) {
  const context where = co_await this_context();
  keeper k{*where.loop};
  const std::string token = testing::new_token();
  auto made = co_await k.spawn(fixture_command(token, mode));
  expect(fatal(made.has_value()));
  auto ready = co_await made->output().read_some();
  expect(ready.has_value());
  const shutdown_timeouts at_once{.after_stdin = 0ms, .after_sigterm = 0ms, .after_sigkill = 5s};
  auto ended = co_await made->shutdown(at_once);
  expect(ended.has_value());
  expect(survivors(token, 0).empty());
  auto closed = co_await k.close();
  expect(closed.has_value());
  co_return made->strays();
}

void is_the_only_stray(const std::string& mode) {
  const std::vector<std::string> strays = run(strays_of(mode));
  std::string who;
  for (const std::string& name : strays) who += name + "; ";
  expect(strays.size() == 1_ul) << who;
  if (strays.size() != 1) return;
  expect(strays.front().starts_with("fixture_child (")) << strays.front();
}

const suite<"process tree"> tests = [] {
  "every archetype stopped 50 times leaves no process, descriptor or thread"_test = [] {
    const std::string token = testing::new_token();
    std::vector<std::string> strays;
    run(start_and_stop_each(token, strays));  // the first time fills libuv's and the library's own tables
    const std::size_t descriptors = testing::open_descriptors();
    const std::size_t threads = testing::own_threads();
    strays.clear();
    const int times = testing::rounds(testing::instrumented ? 15 : 50);
    for (int i = 0; i < times; ++i) run(start_and_stop_each(token, strays));
    expect(survivors(token, 0).empty()) << "shutdown returns when they are gone, not before";
    expect(waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD) << "a keeper was not reaped";
    expect(testing::open_descriptors() == descriptors);
    expect(testing::own_threads() == threads);
    expect(strays.size() == static_cast<std::size_t>(times) * testing::archetypes_with_stray.size())
        << "who leaves its group, and only who does, is reported";
  };

  "A26 every archetype survives no SIGTERM, SIGINT or SIGHUP of its host"_test = [] {
    end_hosts_by(SIGTERM, testing::rounds(testing::instrumented ? 15 : 50), 2000);
    end_hosts_by(SIGINT, 5, 2000);
    end_hosts_by(SIGHUP, 5, 2000);
  };

  "every archetype survives no SIGTERM of everybody, keeper and wardens included"_test = [] {
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) end_hosts_by(number, 5, 2000, to_whom::everybody);
  };

  "A27 every archetype survives no SIGKILL of its host"_test = [] {
    end_hosts_by(SIGKILL, testing::rounds(testing::instrumented ? 15 : 50), 2000);
  };

  "A23 a child that ignores SIGTERM is killed after the grace"_test = [] {
    const auto begin = std::chrono::steady_clock::now();
    const auto status =
        run(stop_one("ignore-sigterm", {.after_stdin = 50ms, .after_sigterm = 50ms, .after_sigkill = 2s}));
    expect(status == exit_status{.code = 0, .signal = SIGKILL}) << status.to_string();
    const auto took = std::chrono::steady_clock::now() - begin;
    expect(took >= 100ms && took < 3s);
  };

  "A29 a process that got the number of a child that had ended is not signalled"_test = [] {
    for (const char* mode : {"exit", "leave-daemon"}) {
      run(recycled_number(quick, mode));
      run(recycled_number({.after_stdin = 0ms, .after_sigterm = 0ms, .after_sigkill = 5s}, mode));
    }
  };

  "a child that ends with its stdin is not signalled"_test = [] {
    const auto begin = std::chrono::steady_clock::now();
    const auto status = run([]() -> task<exit_status> {
      const context where = co_await this_context();
      keeper k{*where.loop};
      auto made = co_await k.spawn(fixture_command("x", "echo"));
      expect(fatal(made.has_value()));
      auto ended = co_await made->shutdown({});
      expect(fatal(ended.has_value()));
      auto closed = co_await k.close();
      expect(closed.has_value());
      co_return *ended;
    }());
    expect(status == exit_status{}) << status.to_string();
    expect(std::chrono::steady_clock::now() - begin < 2s) << "nobody waits for a grace that is not needed";
  };

  "A24 a launcher that has exited is not waited for by its pipes"_test = [] {
    const auto begin = std::chrono::steady_clock::now();
    expect(run(stop_one("leave-grandchildren", {})) == exit_status{});
    expect(std::chrono::steady_clock::now() - begin < 2s);
  };

  "A25 a daemon is found, killed and reported by name"_test = [] { is_the_only_stray("daemonise"); };

  "A25 so is a process that loses its parent only while everybody is being killed"_test = [] {
    is_the_only_stray("keep-a-stray");
  };
};

}  // namespace process_tree_test
