// SPDX-License-Identifier: MIT
// The kernel's events are real and there when the system call returns; only the debounce time is the test's.
#include "../../../runtime/io/file_watch.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/async/timeout.hpp"
#include "../../support/every_step.hpp"
#include "../../support/manual_clock.hpp"
#include "../../support/run.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/ut.hpp"

namespace file_watch_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::counted;
using testing::manual_clock;
using testing::run;

using folder = testing::temporary_folder;

void put(const std::string& path, const std::string& content) { std::ofstream{path} << content; }

void replace(const std::string& path) {
  put(path + ".new", "replaced");
  std::filesystem::rename(path + ".new", path);
}

file_watch watch_of(context where, const std::string& path) {
  auto watch = file_watch::start(*where.loop, path);
  expect(fatal(watch.has_value()));
  return std::move(*watch);
}

task<result<void>> next_change(file_watch& watch) { co_return co_await watch.changed(); }

// Whether a change is told within ten seconds of the test's time.
task<bool> told(file_watch& watch) {
  const auto r = co_await with_timeout(10s, next_change(watch));
  expect(r.has_value() || r.error().code == errc::timed_out);
  co_return r.has_value();
}

// Watches `path`, does `change` and counts how often the watch speaks.
task<int> changes(std::string path, std::function<void()> change) {
  file_watch watch = watch_of(co_await this_context(), path);
  change();
  int count = 0;
  while (co_await told(watch)) ++count;
  co_return count;
}

int changes_by(const std::string& path, const std::function<void()>& change) {
  manual_clock clock;
  return run(clock, changes(path, change));
}

task<void> write_again_and_again(std::string path, int times, duration pause) {
  for (int i = 0; i < times; ++i) {
    put(path, std::to_string(i));
    ignore(co_await sleep_for(pause), "nobody stops this task");
  }
}

task<duration> told_after_writes(std::string path, manual_clock& clock) {
  file_watch watch = watch_of(co_await this_context(), path);
  scope s{co_await this_context()};
  s.spawn(write_again_and_again(path, 5, 150ms));
  expect(co_await told(watch));
  const duration when = clock.elapsed();
  co_await s.join();
  co_return when;
}

task<duration> told_late(std::string path, manual_clock& clock) {
  file_watch watch = watch_of(co_await this_context(), path);
  put(path, "while nobody waits");
  ignore(co_await sleep_for(3s), "nobody stops this task");
  const auto first = co_await watch.changed();
  expect(first.has_value());
  const duration when = clock.elapsed();
  expect(!co_await told(watch)) << "it is told once";
  co_return when;
}

task<void> two_files(std::string a, std::string b) {
  file_watch watch_a = watch_of(co_await this_context(), a);
  file_watch watch_b = watch_of(co_await this_context(), b);
  put(b, "x");
  expect(!co_await told(watch_a)) << "this wait was given up, the watch was not";
  expect(co_await told(watch_b));
  put(a, "x");
  expect(co_await told(watch_a));
}

// The event is there before the loop looks, and libuv is looked at anyway, for something that was just started on it.
task<bool> told_in_the_turn_of_something_else(std::string path) {
  file_watch watch = watch_of(co_await this_context(), path);
  co_await yield();  // libuv has looked at the watch, and rests
  co_await yield();
  put(path, "x");
  const file_watch other = watch_of(co_await this_context(), path);
  co_return (co_await watch.changed()).has_value();
}

task<errc> start_error(std::string path) {
  const auto watch = file_watch::start(*(co_await this_context()).loop, path);
  if (watch.has_value()) co_return errc{};
  expect(watch.error().what.find(path.substr(0, path.rfind('/'))) != std::string::npos) << watch.error().what;
  co_return watch.error().code;
}

task<void> watching(file_watch& watch) {
  const counted frame;
  for (int i = 0; i < 2; ++i) {
    const auto changed = co_await watch.changed();
    expect(changed.has_value() || changed.error().code == errc::cancelled);
  }
}

// The writes and sleeps are steps to stop at before, within and after the debounce time.
task<void> stepping(std::string path) {
  file_watch watch = watch_of(co_await this_context(), path);
  scope s{co_await this_context()};
  s.spawn(watching(watch));
  co_await yield();
  for (const duration pause : {150ms, 300ms, 100ms, 300ms}) {
    put(path, "x");
    ignore(co_await sleep_for(pause), "a stop shortens it");
  }
  co_await s.join();
}

// Its folder goes away and comes back.
task<void> stepping_over_a_gap(std::string inner) {
  std::filesystem::create_directories(inner);
  file_watch watch = watch_of(co_await this_context(), inner + "/a");
  scope s{co_await this_context()};
  s.spawn(watching(watch));
  co_await yield();
  std::filesystem::remove_all(inner);
  ignore(co_await sleep_for(3s), "a stop shortens it");
  std::filesystem::create_directory(inner);
  ignore(co_await sleep_for(3s), "a stop shortens it");
  co_await s.join();
}

const suite<"watch"> tests = [] {
  "creating, writing, replacing, renaming and removing are each a change"_test = [] {
    const folder f;
    const std::string path = f / "a";
    expect(changes_by(path, [&] { put(path, "created"); }) == 1_i);
    expect(changes_by(path, [&] { put(path, "written"); }) == 1_i);
    expect(changes_by(path, [&] { replace(path); }) == 1_i);
    expect(changes_by(path, [&] { chmod(path.c_str(), 0600); }) == 1_i) << "it may be readable now";
    expect(changes_by(path, [&] { std::filesystem::rename(path, f / "b"); }) == 1_i);
    expect(changes_by(path, [&] { std::filesystem::rename(f / "b", path); }) == 1_i);
    expect(changes_by(path, [&] { std::filesystem::remove(path); }) == 1_i);
  };

  "a folder that goes away is a change, not a wait for ever"_test = [] {
    const folder f;
    std::filesystem::create_directory(f / "inner");
    expect(changes_by(f / "inner/a", [&] { std::filesystem::remove(f / "inner"); }) == 1_i);
  };

  "a folder that comes back is watched again, and one that took its place is watched instead"_test = [] {
    const folder f;
    const std::string inner = f / "inner";
    const std::string path = f / "inner/a";
    std::filesystem::create_directory(inner);
    manual_clock clock;
    run(clock, [](std::string of, std::string at) -> task<void> {
      file_watch watch = watch_of(co_await this_context(), at);
      std::filesystem::remove_all(of);
      expect(co_await told(watch)) << "it went away";
      expect(not co_await told(watch));
      std::filesystem::create_directory(of);
      expect(co_await told(watch)) << "it came back";
      put(at, "x");
      expect(co_await told(watch)) << "and is watched";
      std::filesystem::rename(of, of + ".old");
      std::filesystem::create_directory(of);
      expect(co_await told(watch));
      put(at, "y");
      expect(co_await told(watch)) << "the new one";
      put(of + ".old/a", "z");
      expect(not co_await told(watch)) << "not the old one under its new name";
    }(inner, path));
  };

  "a folder that two watches call by different names is watched again for both"_test = [] {
    const folder f;
    const std::string inner = f / "inner";
    std::filesystem::create_directory(inner);
    manual_clock clock;
    run(clock, [](std::string of) -> task<void> {
      file_watch first = watch_of(co_await this_context(), of + "/./a");
      file_watch second = watch_of(co_await this_context(), of + "/b");
      std::filesystem::remove_all(of);
      expect(co_await told(first) and co_await told(second)) << "it went away";
      std::filesystem::create_directory(of);
      expect(co_await told(first) and co_await told(second)) << "it came back";
      put(of + "/a", "x");
      put(of + "/b", "x");
      expect(co_await told(first) and co_await told(second)) << "and is watched";
    }(inner));
  };

  "a file that changes continuously is reported within a bound"_test = [] {
    const folder f;
    manual_clock clock;
    run(clock, [](std::string path, manual_clock& by) -> task<void> {
      file_watch watch = watch_of(co_await this_context(), path);
      scope s{co_await this_context()};
      s.spawn(write_again_and_again(path, 100, 150ms));
      expect(co_await told(watch));
      expect(by.elapsed() <= 2100ms) << by.elapsed().count();
      co_await s.join();
    }(f / "a", clock));
  };

  "reading is no change, and neither is what happens to other files in the folder"_test = [] {
    const folder f;
    put(f / "a", "old");
    expect(changes_by(f / "a", [&] {
             std::ifstream{f / "a"}.get();
             put(f / "b", "x");
             put(f / "a.new", "x");
             put(f / "aa", "x");
             std::filesystem::remove(f / "b");
             std::filesystem::create_directory(f / "c");
             put(f / "c/a", "a namesake below");
           }) == 0_i);
  };

  "a burst of changes is one change"_test = [] {
    const folder f;
    expect(changes_by(f / "a", [&] {
             for (int i = 0; i < 100; ++i) replace(f / "a");
             std::filesystem::remove(f / "a");
             put(f / "a", "last");
           }) == 1_i);
  };

  "a change is told when the file has been quiet for the debounce time"_test = [] {
    const folder f;
    manual_clock clock;
    expect(run(clock, told_after_writes(f / "a", clock)) == 800ms) << "the last write was after 600 ms";
  };

  "a change that came while nobody waited is told at once, and once"_test = [] {
    const folder f;
    manual_clock clock;
    expect(run(clock, told_late(f / "a", clock)) == 3s);
  };

  "two watches in one folder each see their own file"_test = [] {
    const folder f;
    manual_clock clock;
    run(clock, two_files(f / "a", f / "b"));
  };

  "a change is told though its event comes when the loop is about to sleep"_test = [] {
    const folder f;
    expect(run(told_in_the_turn_of_something_else(f / "a")));
  };

  "a missing folder is an error that names it"_test = [] {
    const folder f;
    put(f / "file", "x");
    expect(run(start_error(f / "none/a")) == errc::io);
    expect(run(start_error(f / "file")) == errc{}) << "the folder is there";
  };

  "a watch stopped at every step ends clean"_test = [] {
    const folder f;
    manual_clock clock;
    expect(testing::every_step([&](loop&) { return stepping(f / "a"); }, {.clock = &clock, .waits = true}) > 0_i);
    expect(testing::every_step([&](loop&) { return stepping_over_a_gap(f / "inner"); },
                               {.clock = &clock, .waits = true}) > 0_i);
  };
};

}  // namespace file_watch_test
