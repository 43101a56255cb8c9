// SPDX-License-Identifier: MIT
// The keeper itself: what is done to it and to its wardens, and what the program around them does meanwhile.
#include "../../../runtime/process/keeper.hpp"

#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/async/timeout.hpp"
#include "../../support/every_step.hpp"
#include "../../support/keeper_process.hpp"
#include "../../support/temporary_folder.hpp"
#include "children.hpp"

namespace keeper_test {

using namespace hawser;
using namespace hawser::testing::children;
using namespace std::chrono_literals;
using testing::fixture_command;
using testing::pid_of_keeper;
using testing::run;

task<child> started(keeper& k, command what) {
  auto made = co_await k.spawn(std::move(what));
  expect(fatal(made.has_value())) << (made ? "" : made.error().what);
  co_return *std::move(made);
}

// Its misbehaviour is under way.
task<std::string> ready(child& c) {
  auto said = co_await c.output().read_some();
  expect(fatal(said.has_value()));
  co_return std::string{*said};
}

task<void> keeper_killed() {
  const context where = co_await this_context();
  keeper k{*where.loop};
  const std::string token = testing::new_token();
  child first = co_await started(k, fixture_command(token, "echo"));
  kill(pid_of_keeper(), SIGKILL);
  // Two at once find it dead.
  auto both = co_await when_all(started(k, fixture_command(token, "echo")), started(k, fixture_command(token, "echo")));
  first.input().write("still here");
  expect(co_await ready(first) == std::string{"still here"}) << "its children live on with their wardens";
  for (child* c : {&first, &std::get<0>(both), &std::get<1>(both)}) co_await ended(*c);
  co_await closed(k);
  expect(testing::survivors(token, 2000).empty());
}

// Two at once, so that one waits for its turn to ask.
task<void> keeper_killed_before(loop& l, std::string token) {
  const testing::counted alive;
  keeper k{l};
  auto first = co_await k.spawn(fixture_command(token, "echo"));
  if (first) {
    kill(pid_of_keeper(), SIGKILL);
    auto both = co_await when_all(k.spawn(fixture_command(token, "echo")), k.spawn(fixture_command(token, "echo")));
    if (std::get<0>(both)) co_await ended(*std::get<0>(both));
    if (std::get<1>(both)) co_await ended(*std::get<1>(both));
    co_await ended(*first);
  }
  co_await closed(k);
}

task<void> warden_killed() {
  const context where = co_await this_context();
  keeper k{*where.loop};
  const std::string token = testing::new_token();
  child made = co_await started(k, fixture_command(token, "daemonise"));
  co_await ready(made);
  kill(parent_of(made.pid()), SIGKILL);
  auto seen = co_await with_timeout(5s, made.exited());
  expect(seen.has_error() && seen.error().code == errc::closed) << "nobody saw how it ended";
  auto stopped = co_await made.shutdown(quick);
  expect(stopped.has_error());
  co_await closed(k);
  expect(testing::survivors(token, 2000).empty()) << "the keeper ends what a killed warden leaves";
}

// More than the socket to the keeper holds at once.
task<int> many_at_once(keeper& k, int count) {
  std::vector<task<result<child>>> starts;
  for (int i = 0; i < count; ++i) starts.push_back(k.spawn(fixture_command("x", "exit")));
  int fine = 0;
  for (auto& made : co_await when_all(std::move(starts))) {
    if (!made) continue;
    auto status = co_await made->shutdown(quick);
    fine += status && status->code == 0 ? 1 : 0;
  }
  co_return fine;
}

task<int> all_at_once(int count) {
  const context where = co_await this_context();
  keeper k{*where.loop};
  const int fine = co_await many_at_once(k, count);
  co_await closed(k);
  co_return fine;
}

task<void> count_into(int& fine, keeper& k, int count) { fine = co_await many_at_once(k, count); }

// It sleeps until its socket is full of requests, and dies with them.
task<int> killed_with_requests_waiting(int count) {
  const context where = co_await this_context();
  keeper k{*where.loop};
  child first = co_await started(k, fixture_command("x", "echo"));
  const int pid = pid_of_keeper();
  kill(pid, SIGSTOP);
  int fine = 0;
  scope s{where};
  s.spawn(count_into(fine, k, count));
  for (int i = 0; i < 5; ++i) co_await yield();
  kill(pid, SIGKILL);
  co_await s.join();
  co_await ended(first);
  co_await closed(k);
  co_return fine;
}

// Its standard ones, two for the host and one for signals; those of a request it closes after the warden has answered.
bool has_only_its_own(int keeper) {
  for (int patience = 2000; patience > 0; --patience) {
    const std::filesystem::directory_iterator all{"/proc/" + std::to_string(keeper) + "/fd"};
    if (std::distance(begin(all), end(all)) == 6) return true;
    usleep(1000);
  }
  return false;
}

// Of a request's five, so many arrive.
task<void> without_descriptors(rlim_t some) {
  const context where = co_await this_context();
  keeper k{*where.loop};
  child first = co_await started(k, fixture_command("x", "echo"));
  expect(has_only_its_own(pid_of_keeper()));
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{.rlim_cur = 6 + some, .rlim_max = before.rlim_max};
  if (prlimit(pid_of_keeper(), RLIMIT_NOFILE, &none, nullptr) != 0) {
    cfg<override>.skip_this("the system does not let this user limit another process");
  } else {
    const auto begin = std::chrono::steady_clock::now();
    auto refused = co_await k.spawn(fixture_command("x", "exit"));
    expect(std::chrono::steady_clock::now() - begin < 2s);
    expect(fatal(refused.has_error()));
    expect(refused.error().code == errc::spawn) << refused.error().what;
    expect(refused.error().what.find("fixture_child") != std::string::npos) << refused.error().what;
    expect(has_only_its_own(pid_of_keeper())) << "those that arrived are not kept";
    prlimit(pid_of_keeper(), RLIMIT_NOFILE, &before, nullptr);
    child second = co_await started(k, fixture_command("x", "echo"));
    co_await ended(second);
  }
  co_await ended(first);
  co_await closed(k);
}

// A process that the embedding program forked has copies of every descriptor, and keeps them.
task<void> copies_elsewhere() {
  const context where = co_await this_context();
  keeper k{*where.loop};
  const std::string token = testing::new_token();
  child made = co_await started(k, fixture_command(token, "ignore-sigterm"));
  co_await ready(made);
  const pid_t copy = fork();
  if (copy == 0) {
    while (true) pause();
  }
  const auto begin = std::chrono::steady_clock::now();
  co_await ended(made);
  co_await closed(k);
  expect(std::chrono::steady_clock::now() - begin < 4s);
  kill(copy, SIGKILL);
  waitpid(copy, nullptr, 0);
  expect(testing::survivors(token, 0).empty());
}

// Who is traced can be killed, but nobody else can reap it while its tracer does not look.
task<void> unkillable() {
  const context where = co_await this_context();
  keeper k{*where.loop};
  child made = co_await started(k, fixture_command("x", "ignore-sigterm"));
  co_await ready(made);
  const int pid = made.pid();
  if (ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) != 0) {
    cfg<override>.skip_this("the system does not let this user trace a process");
    co_await ended(made);
  } else {
    auto failed = co_await made.shutdown({.after_stdin = 0ms, .after_sigterm = 0ms, .after_sigkill = 1s});
    expect(fatal(failed.has_error()));
    expect(failed.error().what.find("fixture_child (" + std::to_string(pid) + ')') != std::string::npos)
        << failed.error().what;
    waitpid(pid, nullptr, __WALL);
  }
  co_await closed(k);
}

task<void> first_thread_ended() {
  const context where = co_await this_context();
  keeper k{*where.loop};
  child made = co_await started(k, fixture_command("x", "end-first-thread"));
  const int worker = std::stoi(co_await ready(made));
  expect(kill(worker, 0) == 0);
  co_await ended(made);
  expect(made.strays().size() == 1_ul) << "it had left the group, and is reported";
  expect(kill(worker, 0) != 0 && errno == ESRCH) << "it lives on in another thread than its first";
  co_await closed(k);
}

task<void> own_directory_removed(std::string home) {
  const context where = co_await this_context();
  keeper k{*where.loop};
  {
    const testing::temporary_folder gone;
    expect(chdir((gone / ".").c_str()) == 0);
  }
  for (const char* directory : {"", "below"}) {
    command c = fixture_command("x", "exit");
    c.directory = directory;
    auto refused = co_await k.spawn(std::move(c));
    expect(fatal(refused.has_error()));
    expect(refused.error().code == errc::spawn and refused.error().native == ENOENT) << refused.error().what;
    expect(refused.error().what.find("working directory") != std::string::npos) << refused.error().what;
  }
  expect(chdir(home.c_str()) == 0);
  co_await closed(k);
}

task<void> group_changed() {
  const context where = co_await this_context();
  keeper k{*where.loop};
  child first = co_await started(k, fixture_command("x", "echo"));
  const gid_t before = getegid();
  if (setegid(before + 1) != 0) {
    cfg<override>.skip_this("the system does not let this user change its group");
  } else {
    auto refused = co_await k.spawn(fixture_command("x", "exit"));
    expect(setegid(before) == 0);
    expect(fatal(refused.has_error()));
    expect(refused.error().what.find("changed its user or group") != std::string::npos) << refused.error().what;
  }
  co_await ended(first);
  co_await closed(k);
}

const suite<"keeper"> tests = [] {
  "A32 hundreds of children started at once all start"_test = [] { expect(run(all_at_once(1000)) == 1000); };

  "a keeper that was killed is replaced and its children live on"_test = [] { run(keeper_killed()); };

  "a keeper that was killed is replaced for those, too, who wait for room in its socket"_test = [] {
    expect(run(killed_with_requests_waiting(1000)) == 1000_i);
  };

  "the replacement of a keeper stopped at every step leaves no process"_test = [] {
    const std::string token = testing::new_token();
    testing::every_step([&](loop& l) { return keeper_killed_before(l, token); }, {.waits = true});
    expect(testing::survivors(token, 2000).empty());
  };

  "a killed warden leaves no process behind"_test = [] { run(warden_killed()); };

  "A36 a request that the keeper has no descriptors for is an error that names its program, and the next one works"_test =
      [] {
        for (rlim_t some = 0; some < 5; ++some) run(without_descriptors(some));
      };

  "a process that the program has forked keeps nothing from ending"_test = [] { run(copies_elsewhere()); };

  "a process that cannot be killed is named"_test = [] { run(unkillable()); };

  "a process is killed in all its threads, also when its first has ended"_test = [] { run(first_thread_ended()); };

  "A33 a working directory of our own that is gone is an error that says so"_test = [] {
    run(own_directory_removed(std::filesystem::current_path()));
  };

  "after a change of the uid nothing is started under the old uid"_test = [] { run(group_changed()); };

  "a keeper is found beside the program and reported when it is nowhere"_test = [] {
    loop l;
    l.run([](loop& home) -> task<void> {
      keeper k{home, keeper::options{.path = testing::program("hawser-keeper")}};
      child made = co_await started(k, fixture_command("x", "exit", {"5"}));
      auto status = co_await made.shutdown(quick);
      expect(status.has_value() && status->code == 5);
      co_await closed(k);
    }(l));
    expect(l.run([](loop& home) -> task<std::string> {
              keeper k{home, keeper::options{.path = "/no/keeper"}};
              auto made = co_await k.spawn(fixture_command("x", "exit"));
              co_return made ? "" : made.error().what;
            }(l))
               .find("/no/keeper") != std::string::npos);
  };
};

}  // namespace keeper_test
