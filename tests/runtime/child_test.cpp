// SPDX-License-Identifier: MIT
// What one child sees and says. How whole trees end is process_tree_test's business.
#include "../../runtime/child.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "../../runtime/keeper.hpp"
#include "../../runtime/scope.hpp"
#include "../../runtime/sleep.hpp"
#include "../../runtime/timeout.hpp"
#include "../../runtime/when.hpp"
#include "../support/every_step.hpp"
#include "../support/fixture.hpp"
#include "../support/run.hpp"
#include "../support/temporary_folder.hpp"
#include "../support/ut.hpp"

namespace {

using namespace hawser;
using namespace std::chrono_literals;
using testing::fixture;
using testing::run;

constexpr stop_ladder quick{.after_stdin = 50ms, .after_sigterm = 50ms, .after_sigkill = 5s};

task<std::string> read_to_the_end(stream& s) {
  std::string all;
  while (true) {
    auto bytes = co_await s.read_some();
    if (!bytes) co_return all;
    all += *bytes;
    s.consume(bytes->size());
  }
}

struct finished {
  std::string output;
  std::string errors;
  exit_status status;
};

// Starts a command, reads what it prints and waits for its end.
task<result<finished>> outcome_of(keeper& k, command what) {
  auto made = co_await k.spawn(std::move(what));
  if (!made) co_return made.error();
  finished f;
  auto both = co_await when_all(read_to_the_end(made->output()), read_to_the_end(made->errors()));
  f.output = std::get<0>(std::move(both));
  f.errors = std::get<1>(std::move(both));
  auto status = co_await made->shutdown({});
  if (!status) co_return status.error();
  f.status = *status;
  co_return f;
}

task<result<finished>> once(command what) {
  const context where = co_await this_context();
  keeper k{*where.loop};
  auto outcome = co_await outcome_of(k, std::move(what));
  auto closed = co_await k.close();
  if (!closed) co_return closed.error();
  co_return outcome;
}

result<finished> outcome(command what) { return run(once(std::move(what))); }

std::string output_of(command what) {
  auto done = outcome(std::move(what));
  return done ? done->output : "error: " + done.error().what;
}

int parent_of(int pid) {
  std::ifstream stat{"/proc/" + std::to_string(pid) + "/stat"};
  std::string id;
  std::string name;
  std::string state;
  int parent = 0;
  stat >> id >> name >> state >> parent;
  return parent;
}

// How often a process has this very file open.
long opened(int pid, const std::string& file) {
  const std::filesystem::directory_iterator all{"/proc/" + std::to_string(pid) + "/fd"};
  return std::count_if(begin(all), end(all), [&](const auto& one) {
    std::error_code gone;
    return std::filesystem::read_symlink(one, gone) == file;
  });
}

// What a child, its warden and the keeper have of a file that careless threads of the host open all the time. Each time
// with a keeper of its own, since only that one is started by the host itself.
task<void> descriptors_many_times(int times, std::string careless) {
  const context where = co_await this_context();
  for (int i = 0; i < times; ++i) {
    keeper k{*where.loop};
    auto seen = co_await outcome_of(k, fixture("x", "descriptors"));
    expect(seen.has_value() && seen->output == "0 1 2 \n") << (seen ? seen->output : seen.error().what);
    auto made = co_await k.spawn(fixture("x", "echo"));
    expect(fatal(made.has_value()));
    const int warden = parent_of(made->pid());
    const int keeper_itself = parent_of(warden);
    expect(parent_of(keeper_itself) == getpid());
    for (const int one : {made->pid(), warden, keeper_itself}) expect(opened(one, careless) == 0_l);
    auto ended = co_await made->shutdown(quick);
    auto closed = co_await k.close();
    expect(ended.has_value() && closed.has_value());
  }
}

task<void> start_and_stop(loop& l, std::string token) {
  const testing::counted alive;
  keeper k{l};
  auto made = co_await k.spawn(fixture(token, "echo"));
  if (made) {
    made->input().write("hello");
    auto bytes = co_await made->output().read_some();
    ignore(bytes, "only the end matters");
    auto ended = co_await made->shutdown(quick);
    expect(ended.has_value());
  }
  auto closed = co_await k.close();
  expect(closed.has_value());
}

// Down to the last rung.
task<void> start_and_kill(loop& l, std::string token) {
  const testing::counted alive;
  keeper k{l};
  auto made = co_await k.spawn(fixture(token, "ignore-sigterm"));
  if (made) {
    auto ready = co_await made->output().read_some();
    ignore(ready, "only the end matters");
    auto ended = co_await made->shutdown({.after_stdin = 1ms, .after_sigterm = 1ms, .after_sigkill = 5s});
    expect(ended.has_value());
  }
  auto closed = co_await k.close();
  expect(closed.has_value());
}

task<void> wait_for_the_end(loop& l, std::string token) {
  const testing::counted alive;
  keeper k{l};
  auto made = co_await k.spawn(fixture(token, "exit"));
  if (made) {
    auto alone = co_await made->exited();
    ignore(alone, "only the end matters");
    auto ended = co_await made->shutdown(quick);
    expect(ended.has_value());
  }
  auto closed = co_await k.close();
  expect(closed.has_value());
}

// Neither the program nor the directory is there, and the child's ends are of every kind.
task<void> start_in_vain(loop& l) {
  const testing::counted alive;
  keeper k{l};
  const command nobody{.program = "no-such-program-here"};
  auto none = co_await k.spawn(nobody);
  command nowhere = fixture("x", "exit");
  nowhere.directory = "/no/such/directory";
  nowhere.input = stdio::socket;
  nowhere.output = stdio::null;
  nowhere.errors = stdio::inherit;
  auto neither = co_await k.spawn(nowhere);
  expect(none.has_error() && neither.has_error());
  auto closed = co_await k.close();
  expect(closed.has_value());
}

// The ends of a child that the host has none of, or both directions of.
task<void> start_with_other_ends(loop& l, std::string token) {
  const testing::counted alive;
  keeper k{l};
  command other = fixture(token, "exit");
  other.input = stdio::null;
  other.output = stdio::socket;
  other.errors = stdio::inherit;
  auto made = co_await k.spawn(std::move(other));
  if (made) {
    auto bytes = co_await made->output().read_some();
    expect(bytes.has_error());
    auto ended = co_await made->shutdown(quick);
    expect(ended.has_value());
  }
  auto closed = co_await k.close();
  expect(closed.has_value());
}

// Ends that come just as a command is on its way to the warden.
task<int> ends_seen(loop& l, int count) {
  keeper k{l};
  int seen = 0;
  for (int i = 0; i < count; ++i) {
    auto made = co_await k.spawn(fixture("x", i % 2 == 0 ? "echo" : "exit"));
    if (!made) continue;
    const stop_ladder at_once{.after_stdin = i % 3 == 0 ? 0ms : 1s, .after_sigterm = 0ms, .after_sigkill = 5s};
    auto ended = co_await made->shutdown(at_once);
    seen += ended ? 1 : 0;
  }
  auto closed = co_await k.close();
  expect(closed.has_value());
  co_return seen;
}

task<std::string> where_am_i(keeper& k, std::string directory) {
  command c = fixture("x", "place");
  c.directory = std::move(directory);
  auto done = co_await outcome_of(k, std::move(c));
  co_return done ? done->output.substr(0, done->output.find('\n')) : done.error().what;
}

task<void> host_moves(std::string home) {
  const context where = co_await this_context();
  keeper k{*where.loop};
  expect(chdir("/usr") == 0);
  expect(co_await where_am_i(k, "") == std::string{"/usr"});
  expect(chdir("/") == 0);
  expect(co_await where_am_i(k, "") == std::string{"/"}) << "the directory of the host, not of the keeper's start";
  expect(co_await where_am_i(k, "usr/bin") == std::string{"/usr/bin"});
  expect(chdir(home.c_str()) == 0);
  auto closed = co_await k.close();
  expect(closed.has_value());
}

const suite<"child"> tests = [] {
  "a child gets its arguments untouched, its directory, a session and a group of its own"_test = [] {
    command c = fixture("x", "place", {"a b", "$HOME", "*", "", "\"quoted\"", "ünï"});
    c.directory = "/usr";
    expect(output_of(c) == std::string{"/usr\n11\na b\n$HOME\n*\n\n\"quoted\"\nünï\n"});
  };

  "a child sees the safe variables, what it is given and nothing else"_test = [] {
    setenv("HAWSER_TEST_CANARY", "secret", 1);
    setenv("LD_LIBRARY_PATH", "/nowhere", 1);
    setenv("TERM", "dumb", 1);
    setenv("LOGNAME", "() { :; }; echo run by a shell", 1);
    command c = fixture("x", "environment");
    c.env.set = {{"GIVEN", "a=b"}, {"TERM", "vt100"}};
    const std::string seen = output_of(c);
    expect(seen.find("GIVEN=a=b\n") != std::string::npos);
    expect(seen.find("TERM=vt100\n") != std::string::npos) << "what is given wins";
    expect(seen.find("LOGNAME") == std::string::npos) << "a function is no value";
    std::istringstream lines{seen};
    for (std::string line; std::getline(lines, line);) {
      const std::string name = line.substr(0, line.find('='));
      const std::vector<std::string> allowed{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "GIVEN"};
      expect(std::find(allowed.begin(), allowed.end(), name) != allowed.end()) << line;
    }
    c.env.from = environment::base::inherit;
    expect(output_of(c).find("HAWSER_TEST_CANARY=secret\n") != std::string::npos) << "inheriting is a choice";
    c.env = {.from = environment::base::empty, .set = {{"ONLY", "1"}}};
    expect(output_of(c) == std::string{"ONLY=1\n"});
    unsetenv("HAWSER_TEST_CANARY");
    unsetenv("LD_LIBRARY_PATH");
    unsetenv("LOGNAME");
  };

  "a child sees descriptors 0, 1 and 2, and keeper and warden none of ours, also while other threads open files"_test =
      [] {
        const testing::temporary_folder folder;
        const std::string file = folder / "careless";
        std::atomic<bool> stop = false;
        std::vector<std::thread> openers;
        for (int t = 0; t < 2; ++t) {
          openers.emplace_back([&] {
            while (!stop) {
              const int careless =
                  open(file.c_str(), O_RDWR | O_CREAT, 0600);  // without O_CLOEXEC, as careless programs do
              close(careless);
            }
          });
        }
        run(descriptors_many_times(testing::rounds(testing::instrumented ? 50 : 150), file));
        stop = true;
        for (std::thread& t : openers) t.join();
      };

  "A01 a command that does not exist is named with the PATH it was looked for in"_test = [] {
    command c{.program = "no-such-program-here"};
    c.env.set["PATH"] = "/bin:/usr/bin";
    const auto begin = std::chrono::steady_clock::now();
    const auto r = outcome(c);
    expect(std::chrono::steady_clock::now() - begin < 1s);
    expect(fatal(r.has_error()));
    expect(r.error().code == errc::spawn && r.error().native == ENOENT);
    expect(r.error().what ==
           std::string{"spawn \"no-such-program-here\": No such file or directory (looked in PATH=/bin:/usr/bin)"})
        << r.error().what;
  };

  "an empty part of PATH is not the working directory"_test = [] {
    const testing::temporary_folder folder;
    std::ofstream{folder / "trap"} << "#!/bin/sh\nexit 7\n";
    std::filesystem::permissions(folder / "trap", std::filesystem::perms::owner_all);
    for (const char* path : {"", ":", "/nowhere:", "/nowhere::/nowhere", ":/nowhere"}) {
      command c{.program = "trap", .directory = folder.path};
      c.env.set["PATH"] = path;
      const auto r = outcome(c);
      expect(r.has_error() && r.error().native == ENOENT) << path;
    }
    command by_name{.program = "trap", .directory = folder.path};
    by_name.env.set["PATH"] = folder.path;
    const auto r = outcome(by_name);
    expect(r.has_value() && r->status.code == 7);
  };

  "A02 a file that cannot be executed is an error with its reason, and no shell tries it"_test = [] {
    const std::string folder = std::filesystem::temp_directory_path() / testing::new_token();
    std::filesystem::create_directory(folder);
    std::ofstream{folder + "/script"} << "echo run by a shell\n";
    expect(outcome(command{.program = folder + "/script"}).error().native == EACCES);
    chmod((folder + "/script").c_str(), 0755);
    expect(outcome(command{.program = folder + "/script"}).error().native == ENOEXEC);
    expect(outcome(command{.program = folder}).error().native == EACCES);
    std::filesystem::remove_all(folder);
  };

  "A33 a working directory that is not there is an error that says so"_test = [] {
    command c = fixture("x", "exit");
    c.directory = "/no/such/directory";
    const auto r = outcome(c);
    expect(r.has_error() && r.error().native == ENOENT);
    expect(r.error().what.find("working directory") != std::string::npos) << r.error().what;
  };

  "texts that no process can be given are refused before anything starts"_test = [] {
    expect(outcome(command{.program = ""}).has_error());
    expect(outcome(fixture("x", "exit", {std::string{"a\0b", 3}})).has_error());
    command c = fixture("x", "exit");
    c.env.set["BAD=NAME"] = "1";
    expect(outcome(c).error().code == errc::spawn);
  };

  "the exit code and the signal of a child are told apart"_test = [] {
    expect(outcome(fixture("x", "exit", {"7"}))->status == exit_status{.code = 7, .signal = 0});
    expect(outcome(fixture("x", "crash"))->status == exit_status{.code = 0, .signal = SIGKILL});
  };

  "A05 what a child says on stderr before it fails is read to the end"_test = [] {
    const auto r = outcome(fixture("x", "noisy-exit"));
    expect(fatal(r.has_value()));
    expect(r->status.code == 1);
    expect(r->errors.size() >= 100U * 1024U && r->errors.ends_with("\n"));
  };

  "arguments and environment of a megabyte arrive"_test = [] {
    command c = fixture("x", "environment");
    c.env = {.from = environment::base::empty, .set = {{"BIG", std::string(100'000, 'v')}}};
    for (int i = 0; i < 10; ++i) c.arguments.emplace_back(100'000, 'a');
    expect(output_of(c).size() == 4U + 100'000U + 1U);
  };

  "an embedder that waits for any child does not disturb us"_test = [] {
    std::atomic<bool> stop = false;
    std::thread embedder{[&] {
      while (!stop) waitpid(-1, nullptr, WNOHANG);
    }};
    for (int i = 0; i < 20; ++i) expect(outcome(fixture("x", "exit", {"3"}))->status.code == 3);
    stop = true;
    embedder.join();
  };

  "an embedder that ignores SIGCHLD does not disturb us"_test = [] {
    signal(SIGCHLD, SIG_IGN);
    expect(outcome(fixture("x", "exit", {"3"}))->status.code == 3);
    signal(SIGCHLD, SIG_DFL);
  };

  "every end of a child is seen, also one that crosses a command"_test = [] {
    int errors = 0;
    const auto count = [&](const log_record& r) { errors += r.level == log_level::error ? 1 : 0; };
    loop l{loop::options{.log = logger{count, log_level::info}}};
    expect(l.run(ends_seen(l, 300)) == 300);
    expect(errors == 0) << "nobody's warden was killed";
  };

  "a child starts in the directory that the host is in now"_test = [] {
    run(host_moves(std::filesystem::current_path()));
  };

  "a start stopped at every step leaves no process"_test = [] {
    const std::string token = testing::new_token();
    testing::every_step([&](loop& l) { return start_and_stop(l, token); }, {.waits = true});
    testing::every_step([&](loop& l) { return wait_for_the_end(l, token); }, {.waits = true});
    testing::every_step(start_in_vain, {.waits = true});
    testing::every_step([&](loop& l) { return start_with_other_ends(l, token); }, {.waits = true});
    expect(testing::survivors(token, 2000).empty());
  };

  "a child that has to be killed, stopped at every step, is killed all the same"_test = [] {
    const std::string token = testing::new_token();
    testing::every_step([&](loop& l) { return start_and_kill(l, token); }, {.waits = true});
    expect(testing::survivors(token, 2000).empty());
  };
};

}  // namespace
