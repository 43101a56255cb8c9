// SPDX-License-Identifier: MIT
#include "../../../runtime/io/file_lock.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../support/every_step.hpp"
#include "../../support/forked_processes.hpp"
#include "../../support/run.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/ut.hpp"

namespace file_lock_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::counted;
using testing::run;

using folder = testing::temporary_folder;

bool is_free(const std::string& path) {
  const auto lock = file_lock::try_acquire(path);
  expect(lock.has_value());
  return lock && lock->has_value();
}

task<void> hold(std::string path, int& inside) {
  const counted frame;
  auto lock = co_await file_lock::acquire(std::move(path), 60s);
  if (!lock) {
    expect(lock.error().code == errc::cancelled);
    co_return;
  }
  expect(++inside == 1) << "one at a time";
  for (int i = 0; i < 3; ++i) co_await yield();
  --inside;
}

task<void> three_hold(std::string path, int& inside) {
  scope s{co_await this_context()};
  for (int i = 0; i < 3; ++i) s.spawn(hold(path, inside));
  for (int i = 0; i < 10; ++i) co_await yield();
  co_await s.join();
}

const suite<"file lock"> tests = [] {
  "it is held by one until it is released, moved or dead"_test = [] {
    const folder f;
    auto taken = run(file_lock::acquire(f / "lock", 1s));
    expect(taken.has_value() && taken->held() && !is_free(f / "lock"));
    file_lock moved = *std::move(taken);
    expect(moved.held() && !taken->held() && !is_free(f / "lock"));
    moved.release();
    expect(!moved.held() && is_free(f / "lock"));
    moved = *run(file_lock::acquire(f / "lock", 1s));
    expect(!is_free(f / "lock"));
    moved = file_lock{};
    expect(is_free(f / "lock"));
  };

  "whoever waits too long is told so, with the name of the file"_test = [] {
    const folder f;
    const auto taken = run(file_lock::acquire(f / "lock", 1s));
    const auto refused = run(file_lock::acquire(f / "lock", 50ms));
    expect(refused.has_error() && refused.error().code == errc::timed_out);
    expect(refused.has_error() && refused.error().what.find(f / "lock") != std::string::npos);
  };

  "whoever waits gets it when it is free"_test = [] {
    const folder f;
    auto taken = run(file_lock::acquire(f / "lock", 1s));
    std::jthread later{[&] {
      std::this_thread::sleep_for(30ms);
      taken->release();
    }};
    expect(run(file_lock::acquire(f / "lock", 60s)).has_value());
  };

  "a lock on a file that was removed meanwhile is none"_test = [] {
    const folder f;
    const auto first = run(file_lock::acquire(f / "lock", 1s));
    std::filesystem::remove(f / "lock");
    const auto second = run(file_lock::acquire(f / "lock", 1s));
    expect(first.has_value() && second.has_value() && !is_free(f / "lock")) << "the new file counts";
  };

  "processes and threads take turns"_test = [] {
    const folder f;
    const auto write_alone = [&](int) {
      for (int i = 0; i < 20; ++i) {
        auto lock = run(file_lock::acquire(f / "lock", 60s));
        if (!lock || !std::filesystem::create_directory(f / "alone")) return false;
        std::filesystem::remove(f / "alone");
      }
      return true;
    };
    expect(testing::failures_of(6, write_alone) == 0_i);
  };

  "a process that was forked meanwhile does not hold it on"_test = [] {
    const folder f;
    auto taken = run(file_lock::acquire(f / "lock", 1s));
    const int child = fork();
    if (child == 0) {
      pause();
      _exit(0);
    }
    taken->release();
    expect(is_free(f / "lock"));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  };

  "where there can be no lock file, that is an error that names it"_test = [] {
    const folder f;
    const auto nowhere = run(file_lock::acquire(f / "none/lock", 1s));
    expect(nowhere.has_error() && nowhere.error().code == errc::io);
    expect(mkfifo((f / "fifo").c_str(), 0600) == 0);
    std::filesystem::create_symlink("else", f / "link");
    for (const char* name : {"fifo", "link"}) {
      const auto refused = run(file_lock::acquire(f / name, 1s));
      expect(refused.has_error() && refused.error().what.find(f / name) != std::string::npos) << name;
    }
    expect(!std::filesystem::exists(f / "else"));
  };

  "waiting for it, stopped at every step, ends clean and keeps nothing"_test = [] {
    const folder f;
    int inside = 0;
    testing::every_step(
        [&](loop&) {
          expect(inside == 0_i);
          return three_hold(f / "lock", inside);
        },
        {.waits = true});
    expect(is_free(f / "lock"));
  };
};

}  // namespace file_lock_test
