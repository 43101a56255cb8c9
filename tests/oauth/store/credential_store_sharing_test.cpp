// SPDX-License-Identifier: MIT
// One store, many coroutines, threads and processes.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>

#include "../../../oauth/store/file_credential_store.hpp"
#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/io/file_lock.hpp"
#include "../../support/contains.hpp"
#include "../../support/every_step.hpp"
#include "../../support/forked_processes.hpp"
#include "../../support/manual_clock.hpp"
#include "../../support/run.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/token_store_fixture.hpp"
#include "../../support/ut.hpp"

namespace credential_store_sharing_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::contains;
using testing::counted;
using testing::failures_of;
using testing::run;
using testing::sample_login;
using testing::url_of;
using fixture = testing::token_store_fixture;

using folder = testing::temporary_folder;

task<void> lead_and_sleep(credential_store& store, std::string& order, char mark) {
  const counted frame;
  auto refresh_lock = co_await store.acquire_refresh_lock(sample_login("one").key);
  if (!refresh_lock) {
    expect(refresh_lock.error().code == errc::cancelled || refresh_lock.error().code == errc::timed_out);
    co_return;
  }
  order += mark;
  for (int i = 0; i < 5; ++i) co_await yield();
  order += mark;
}

task<void> two_leads(credential_store& store, std::string& order) {
  scope s{co_await this_context()};
  s.spawn(lead_and_sleep(store, order, 'a'));
  s.spawn(lead_and_sleep(store, order, 'b'));
  co_await s.join();
}

// Adds one to a number in the store, as a renewal does with its token: under the lead, from what the store has.
task<result<void>> count_up(credential_store& store) {
  auto refresh_lock = co_await store.acquire_refresh_lock(sample_login("one").key);
  if (!refresh_lock) co_return std::move(refresh_lock).error();
  auto now = co_await store.find_for_server(url_of("one"));
  if (!now) co_return std::move(now).error();
  login next = (*now).value_or(sample_login("one", 0));
  ++next.tokens.expires_at;
  co_return co_await store.save(url_of("one"), std::move(next));
}

task<void> save_beside_yields(file_credential_store& store, int generation) {
  const counted frame;
  scope s{co_await this_context()};
  struct run_one {
    static task<void> save(file_credential_store& to, int generation) {
      const counted inner;
      const auto saved = co_await to.save(url_of("one"), sample_login("one", generation));
      expect(saved.has_value()) << "no stop ends a save";
      const auto found = co_await to.find_for_server(url_of("one"));
      expect(found ? *found == sample_login("one", generation) : found.error().code == errc::cancelled);
      const auto removed = co_await to.remove(sample_login("none").key, std::nullopt);
      expect(removed.has_value() || removed.error().code == errc::cancelled);
    }
  };
  s.spawn(run_one::save(store, generation));
  for (int i = 0; i < 20; ++i) co_await yield();
  co_await s.join();
}

task<void> save_in_new_store(loop& l, std::string path, int generation) {
  file_credential_store store{l, std::move(path)};
  co_await save_beside_yields(store, generation);
}

task<void> leads_in_new_store(loop& l, std::string path, std::string& order) {
  file_credential_store store{l, std::move(path)};
  co_await two_leads(store, order);
}

// A process that holds the lock on this file and does nothing else.
class holder {
 public:
  explicit holder(const std::string& path) {
    std::array<int, 2> ready{};
    expect(pipe(ready.data()) == 0);
    pid_ = fork();
    if (pid_ == 0) {
      auto lock = file_lock::try_acquire(path);
      const char answer = lock && *lock ? 'y' : 'n';
      if (write(ready[1], &answer, 1) == 1) pause();
      _exit(1);
    }
    char answer = 0;
    expect(read(ready[0], &answer, 1) == 1 && answer == 'y') << "the lock was free";
    close(ready[0]);
    close(ready[1]);
  }
  holder(const holder&) = delete;
  holder& operator=(const holder&) = delete;
  ~holder() { kill_it(); }
  void kill_it() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  int pid_ = 0;
};

std::string lead_file_in(const std::string& path) {
  for (const auto& entry : std::filesystem::directory_iterator{path}) {
    if (contains(entry.path().filename().string(), ".lead-")) return entry.path();
  }
  return {};
}

const suite<"token store, shared"> tests = [] {
  "F08 sixteen processes that save different logins lose none"_test = [] {
    const folder f;
    const std::string path = f / "hawser/auth.json";
    const auto name = [](int process, int i) { return "s" + std::to_string(process) + 'x' + std::to_string(i); };
    expect(failures_of(16, [&](int process) {
             fixture h{path};
             bool all = true;
             for (int i = 0; i < 5; ++i) all = h.save(name(process, i)) && all;
             return all && h.said.empty();
           }) == 0_i);
    fixture h{path};
    for (int process = 0; process < 16; ++process) {
      for (int i = 0; i < 5; ++i) expect(h.find_for_server(url_of(name(process, i))) == sample_login(name(process, i)));
    }
    expect(h.run(h.store.all())->size() == 80_ul);
  };

  "F09 a lock whose holder was killed is free"_test = [] {
    const folder f;
    fixture h{f / "auth.json"};
    expect(h.save("one"));
    holder other{f / "auth.json.lock"};
    other.kill_it();
    expect(h.save("one", 2) && h.find_for_server(url_of("one")) == sample_login("one", 2));
  };

  "F09 a holder that hangs is waited for, but not for ever; reading goes on, and the login is not lost"_test = [] {
    const folder f;
    fixture h{f / "auth.json", {.refresh_lock_timeout = 200ms, .file_lock_timeout = 200ms}};
    expect(h.save("one") && h.run(h.store.acquire_refresh_lock(sample_login("one").key)).has_value());
    {
      const holder other{f / "auth.json.lock"};
      const auto saved = h.run(h.store.save(url_of("one"), sample_login("one", 2)));
      expect(saved.has_error() && saved.error().code == errc::timed_out);
      expect(saved.has_error() && contains(saved.error().what, f / "auth.json.lock") &&
             contains(saved.error().what, "another process"));
      expect(h.find_for_server(url_of("one")) == sample_login("one", 2)) << "from memory";
      expect(fixture{f / "auth.json"}.find_for_server(url_of("one")) == sample_login("one", 1))
          << "whoever else reads it";
    }
    expect(h.save("two") && fixture{f / "auth.json"}.find_for_server(url_of("one")) == sample_login("one", 2));

    std::string lead_file;
    {
      const auto held = h.run(h.store.acquire_refresh_lock(sample_login("one").key));
      lead_file = lead_file_in(f.path);
    }
    const holder leader{lead_file};
    const auto refresh_lock = h.run(h.store.acquire_refresh_lock(sample_login("one").key));
    expect(refresh_lock.has_error() && refresh_lock.error().code == errc::timed_out &&
           contains(refresh_lock.error().what, "another process"));
    expect(h.run(h.store.acquire_refresh_lock(sample_login("two").key)).has_value())
        << "each login has a lead of its own";
  };

  "SEC-7 the lock file of a login is removed with its last holder"_test = [] {
    const folder f;
    fixture h{f / "auth.json"};
    for (int i = 0; i < 3; ++i) {
      auto held = h.run(h.store.acquire_refresh_lock(sample_login("s" + std::to_string(i)).key));
      expect(held.has_value() && !lead_file_in(f.path).empty());
    }
    expect(lead_file_in(f.path).empty()) << lead_file_in(f.path);
  };

  "T-29 one lead at a time, among coroutines, in memory and in a file"_test = [] {
    std::string order;
    memory_credential_store in_memory;
    run(two_leads(in_memory, order));
    expect(order == "aabb");
    const folder f;
    fixture h{f / "auth.json"};
    order.clear();
    h.run(two_leads(h.store, order));
    expect(order == "aabb" || order == "bbaa") << order;
  };

  "T-29 threads and processes that renew one login under its lead never work from an old one"_test = [] {
    constexpr int processes = 8;
    constexpr int threads = 8;
    constexpr int rounds = 3;
    const folder f;
    const std::string path = f / "hawser/auth.json";
    const auto renew = [&](int) {
      std::atomic<int> failed = 0;
      std::vector<std::jthread> all;
      for (int i = 0; i < threads; ++i) {
        all.emplace_back([&] {
          fixture h{path, {.refresh_lock_timeout = 60s, .file_lock_timeout = 60s}};
          for (int round = 0; round < rounds; ++round) failed += h.run(count_up(h.store)) ? 0 : 1;
        });
      }
      all.clear();
      return failed == 0;
    };
    expect(failures_of(processes, renew) == 0_i);
    const auto last = fixture{path}.find_for_server(url_of("one"));
    expect(last && last->tokens.expires_at == 2'000'000'000 + processes * threads * rounds);
  };

  "a lead in memory is not waited for for ever"_test = [] {
    testing::manual_clock clock;
    memory_credential_store store;
    const auto refused = run(clock, [](memory_credential_store& s) -> task<result<credential_store::refresh_lock>> {
      auto first = co_await s.acquire_refresh_lock(sample_login("one").key);
      auto second = co_await s.acquire_refresh_lock(sample_login("one").key);
      first->release();
      expect((co_await s.acquire_refresh_lock(sample_login("one").key)).has_value());
      co_return second;
    }(store));
    expect(refused.has_error() && refused.error().code == errc::timed_out);
  };

  "a save stopped at every step has saved, and what follows ends clean"_test = [] {
    const folder f;
    int generation = 0;
    testing::every_step([&](loop& l) {
      if (generation > 0)
        expect(fixture{f / "auth.json"}.find_for_server(url_of("one")) == sample_login("one", generation));
      return save_in_new_store(l, f / "auth.json", ++generation);
    });
    expect(generation > 10_i);
  };

  "waiting for a lead, stopped at every step, ends clean"_test = [] {
    const folder f;
    std::string order;
    testing::every_step([&](loop& l) { return leads_in_new_store(l, f / "auth.json", order); });
    testing::every_step([&](loop&) {
      struct in_memory {
        static task<void> go(std::string& order) {
          memory_credential_store store;
          co_await two_leads(store, order);
        }
      };
      return in_memory::go(order);
    });
    fixture h{f / "auth.json"};
    expect(h.run(h.store.acquire_refresh_lock(sample_login("one").key)).has_value()) << "nobody kept it";
  };
};

}  // namespace credential_store_sharing_test
