// SPDX-License-Identifier: MIT
// What a disk, and whoever kills processes, can do to the store while it saves.
#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "../../../oauth/store/file_credential_store.hpp"
#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../support/logins.hpp"
#include "../../support/run.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/traced_child.hpp"
#include "../../support/ut.hpp"

namespace credential_store_disk_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::sample_login;
using testing::traced_action;
using testing::traced_call;
using testing::traced_child;
using testing::traced_policy;
using testing::url_of;

using folder = testing::temporary_folder;

// Instrumented, all of it would take minutes; what a release does is the same, call by call.
constexpr int stride = testing::instrumented ? 5 : 1;

bool saves(const std::string& path, const std::string& name, int generation) {
  loop l;
  file_credential_store store{l, path};
  return l.run(store.save(url_of(name), sample_login(name, generation))).has_value();
}

// What a new process finds there; nothing may be wrong with it.
std::optional<login> found(const std::string& path, const std::string& name) {
  int remarks = 0;
  loop l{loop::options{.log = logger{[&](const log_record&) { ++remarks; }, log_level::info}}};
  file_credential_store store{l, path};
  auto one = l.run(store.find_for_server(url_of(name)));
  expect(one.has_value()) << (one ? "" : one.error().what);
  expect(remarks == 0_i);
  return one ? *std::move(one) : std::nullopt;
}

std::set<std::string> names_in(const std::string& path) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator{path}) names.insert(entry.path().filename());
  return names;
}

enum outcome : int { saved = 0, refused_and_found = 10, lost = 11, unnamed = 12, saved_and_unread = 13 };

// In the child: a save, and what the same store finds afterwards.
int save_and_find(const std::string& path) {
  loop l;
  file_credential_store store{l, path};
  const auto done = l.run(store.save(url_of("one"), sample_login("one", 2)));
  const auto one = l.run(store.find(sample_login("one").key));
  const bool there = one.has_value() && *one == sample_login("one", 2);
  if (done && !one) return saved_and_unread;
  if (done) return there ? saved : lost;
  if (done.error().what.find(path.substr(0, path.rfind('/'))) == std::string::npos) return unnamed;
  return there ? refused_and_found : lost;
}

// Fails the call of this number among those that are about the store.
class failing_call {
 public:
  failing_call(std::string path, int at, int with) : path_(std::move(path)), at_(at), with_(with) {}
  traced_action operator()(const traced_call& call) {
    if (call.file.find(path_) == std::string::npos || next_++ != at_) return {};
    hit = call;
    return {.fail_with = with_};
  }
  std::optional<traced_call> hit;

 private:
  std::string path_;
  int at_;
  int with_;
  int next_ = 0;
};

// Every call of a save fails in this way, one after the other; says how many there were.
int fail_every_call(int with) {
  for (int at = 0;; at += stride) {
    const folder f;
    const std::string path = f / "hawser/auth.json";
    expect(saves(path, "one", 1) && saves(path, "two", 1));
    failing_call judge{f / "hawser", at, with};
    const int status =
        traced_child::run([&] { return save_and_find(path); }, [&](const traced_call& call) { return judge(call); });
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (!judge.hit) {
      expect(code == saved) << "nothing failed";
      return at;
    }
    const std::string where = std::to_string(judge.hit->number) + " of " + judge.hit->file;
    expect(code == saved || code == refused_and_found || code == saved_and_unread)
        << "call" << where << "outcome" << code;
    const auto one = found(path, "one");
    expect(one == sample_login("one", 2) || (code == refused_and_found && one == sample_login("one", 1)))
        << "call" << where;
    expect(found(path, "two") == sample_login("two", 1)) << "call" << where;
    const bool must_be_told = judge.hit->file.ends_with("auth.json.new") && judge.hit->number != SYS_unlinkat &&
                              judge.hit->number != SYS_faccessat && judge.hit->number != SYS_faccessat2;
    if (must_be_told) expect(code == refused_and_found) << "call" << where << "was ignored";
    expect(!names_in(f / "hawser").contains("auth.json.new"));
  }
}

// A login that was not written is written with the next one.
int save_twice(const std::string& path) {
  loop l;
  file_credential_store store{l, path};
  const bool first = l.run(store.save(url_of("one"), sample_login("one", 2))).has_value();
  const bool second = l.run(store.save(url_of("two"), sample_login("two", 2))).has_value();
  return !first && second ? 0 : 1;
}

// Somebody else has logged in again meanwhile: that is newer than what could not be written.
int save_and_wait(const std::string& path) {
  loop l;
  file_credential_store store{l, path};
  const bool first = l.run(store.save(url_of("one"), sample_login("one", 2))).has_value();
  const bool other = saves(path, "one", 3);
  const auto one = l.run(store.find_for_server(url_of("one")));
  return !first && other && one && *one == sample_login("one", 3) ? 0 : 1;
}

traced_policy failing(long number, const std::string& file, int with, bool once) {
  auto left = std::make_shared<bool>(true);
  return [=](const traced_call& call) {
    if (call.number != number || !call.file.ends_with(file) || !*left) return traced_action{};
    *left = !once;
    return traced_action{.fail_with = with};
  };
}

// In the child: a store that cannot write works all the same, and says so once.
int works_in_memory(const std::string& path, bool has_one) {
  int warnings = 0;
  loop l{loop::options{.log = logger{[&](const log_record& r) { warnings += r.level == log_level::warning ? 1 : 100; },
                                     log_level::info}}};
  file_credential_store store{l, path};
  const auto before = l.run(store.find_for_server(url_of("one")));
  if (!before || before->has_value() != has_one) return 1;
  for (const char* name : {"two", "three"}) {
    if (!l.run(store.save(url_of(name), sample_login(name)))) return 2;
  }
  if (!l.run(store.save_client("https://as", sample_login("two").client))) return 3;
  if (warnings != 1 || !store.location().empty()) return 4;
  const auto all = l.run(store.all());
  if (!all || all->size() != (has_one ? 3U : 2U)) return 5;
  if (const auto refresh_lock = l.run(store.acquire_refresh_lock(sample_login("two").key)); !refresh_lock) return 6;
  const auto removed = l.run(store.remove(sample_login("two").key, sample_login("two").tokens.refresh));
  const auto gone = l.run(store.forget(url_of("three")));
  if (!removed || !*removed || !gone || gone->size() != 1) return 7;
  return warnings == 1 ? 0 : 8;
}

struct ticking {
  bool saved = false;
  bool asked = false;
  int ticks = 0;
  duration longest{0};
};

task<void> save_slowly(file_credential_store& store, ticking& t) {
  t.saved = (co_await store.save(url_of("one"), sample_login("one", 2))).has_value();
  t.asked = t.asked && t.ticks > 0;
}

task<void> tick_meanwhile(file_credential_store& store, ticking& t) {
  auto last = std::chrono::steady_clock::now();
  for (; !t.saved && t.ticks < 100'000; ++t.ticks) {
    if (t.ticks == 20) {
      const auto one = co_await store.find_for_server(url_of("one"));
      t.asked = !t.saved && one && *one == sample_login("one", 1);
    }
    ignore(co_await sleep_for(1ms), "it ticks");
    const auto now = std::chrono::steady_clock::now();
    t.longest = std::max<duration>(t.longest, now - last);
    last = now;
  }
}

task<void> both(file_credential_store& store, ticking& t) {
  scope s{co_await this_context()};
  s.spawn(save_slowly(store, t));
  s.spawn(tick_meanwhile(store, t));
  co_await s.join();
}

const suite<"token store and disk"> tests = [] {
  "F03 a process that is killed at any system call of a save leaves the old store or the new one"_test = [] {
    int kills = 0;
    int old_ones = 0;
    int new_ones = 0;
    int leftovers = 0;
    for (bool ended = false; !ended; kills += stride) {
      const folder f;
      const std::string path = f / "state/hawser/auth.json";
      expect(saves(path, "one", 1) && saves(path, "two", 1));
      const int at = kills;
      const int status =
          traced_child::run([&] { return saves(path, "one", 2) ? 0 : 1; },
                            [at](const traced_call& call) { return traced_action{.kill = call.index == at}; });
      ended = WIFEXITED(status);
      expect(ended ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == SIGKILL) << at;
      if (names_in(f / "state/hawser").contains("auth.json.new")) ++leftovers;
      const auto one = found(path, "one");
      expect(one == sample_login("one", 1) || one == sample_login("one", 2)) << "killed at call" << at;
      expect(found(path, "two") == sample_login("two", 1)) << "killed at call" << at;
      (one == sample_login("one", 1) ? old_ones : new_ones)++;
      expect(names_in(f / "state/hawser") == std::set<std::string>{"auth.json", "auth.json.lock"}) << at;
      expect(saves(path, "one", 3) && found(path, "one") == sample_login("one", 3)) << "killed at call" << at;
    }
    expect(kills > 50 && old_ones > 20 / stride && new_ones > 5 / stride && (leftovers > 0 || stride > 1))
        << kills << old_ones << new_ones << leftovers;
  };

  "F03 a process that is killed at any system call of the first save of all leaves nothing or the new store"_test = [] {
    int kills = 0;
    for (bool ended = false; !ended; kills += stride) {
      const folder f;
      const std::string path = f / "state/hawser/auth.json";
      const int at = kills;
      const int status =
          traced_child::run([&] { return saves(path, "one", 1) ? 0 : 1; },
                            [at](const traced_call& call) { return traced_action{.kill = call.index == at}; });
      ended = WIFEXITED(status);
      const auto one = found(path, "one");
      expect(!one || one == sample_login("one", 1)) << "killed at call" << at;
      expect(saves(path, "one", 2) && found(path, "one") == sample_login("one", 2)) << "killed at call" << at;
    }
    expect(kills > 50_i);
  };

  "F02 a new store is on the disk before it gets its name, and its name before the save ends"_test = [] {
    const folder f;
    const std::string path = f / "hawser/auth.json";
    expect(saves(path, "one", 1));
    std::vector<std::pair<long, std::string>> calls;
    const int status = traced_child::run([&] { return saves(path, "one", 2) ? 0 : 1; },
                                         [&](const traced_call& call) {
                                           const std::set<long> kinds{SYS_write, SYS_fsync, SYS_renameat, SYS_flock};
                                           if (kinds.contains(call.number) && call.file.starts_with(f.path))
                                             calls.emplace_back(call.number, call.file.substr(f.path.size()));
                                           return traced_action{};
                                         });
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    const std::vector<std::pair<long, std::string>> in_order{{SYS_flock, "/hawser/auth.json.lock"},
                                                             {SYS_write, "/hawser/auth.json.new"},
                                                             {SYS_fsync, "/hawser/auth.json.new"},
                                                             {SYS_renameat, "/hawser/auth.json.new"},
                                                             {SYS_fsync, "/hawser"},
                                                             {SYS_flock, "/hawser/auth.json.lock"}};
    expect(calls == in_order) << calls.size();
  };

  "F01 a disk that is full, whichever call finds it out, leaves the old store, and the login is used from memory"_test =
      [] {
        for (const int with : {ENOSPC, EDQUOT, EFBIG}) expect(fail_every_call(with) > 15_i);
      };

  "F02 an error of the disk, in whichever call, is never ignored and breaks nothing"_test = [] {
    expect(fail_every_call(EIO) > 15_i);
  };

  "F01 what could not be written is written with what is saved next"_test = [] {
    const folder f;
    const std::string path = f / "hawser/auth.json";
    expect(saves(path, "one", 1));
    const int status = traced_child::run([&] { return save_twice(path); }, failing(SYS_write, ".new", ENOSPC, true));
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    expect(found(path, "one") == sample_login("one", 2) && found(path, "two") == sample_login("two", 2));
  };

  "F01 what could not be written does not hide what another process wrote since"_test = [] {
    const folder f;
    const std::string path = f / "hawser/auth.json";
    expect(saves(path, "one", 1));
    const int status = traced_child::run([&] { return save_and_wait(path); }, failing(SYS_fsync, ".new", EIO, true));
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    expect(found(path, "one") == sample_login("one", 3));
  };

  "F10 where nothing can be locked or written, logins are kept in memory, with one warning"_test = [] {
    for (const int with : {ENOLCK, EOPNOTSUPP, EINVAL}) {
      const folder f;
      const std::string path = f / "hawser/auth.json";
      expect(saves(path, "one", 1));
      const int status =
          traced_child::run([&] { return works_in_memory(path, true); }, failing(SYS_flock, ".lock", with, false));
      expect(WIFEXITED(status) && WEXITSTATUS(status) == 0) << with << status;
      expect(found(path, "one") == sample_login("one", 1) && !found(path, "two"));
    }
    for (const int with : {EROFS, EACCES}) {
      const folder f;
      const std::string path = f / "hawser/auth.json";
      expect(saves(path, "one", 1));
      const int status =
          traced_child::run([&] { return works_in_memory(path, true); }, failing(SYS_openat, ".lock", with, false));
      expect(WIFEXITED(status) && WEXITSTATUS(status) == 0) << with << status;
    }
  };

  "F10 without a home that exists, logins are kept in memory, with one warning"_test = [] {
    const folder f;
    std::filesystem::permissions(f.path, std::filesystem::perms::owner_all);
    std::ofstream{f / "file"} << "not a folder";
    for (const std::string& path : {std::string{}, std::string{"/proc/none/hawser/auth.json"},
                                    f / "file/hawser/auth.json", std::string{"/dev/null/auth.json"}}) {
      expect(works_in_memory(path, false) == 0_i) << path;
    }
  };

  "F13 a file that is there and cannot be read is an error, and not a store without logins"_test = [] {
    for (const int with : {EACCES, EIO}) {
      const folder f;
      const std::string path = f / "hawser/auth.json";
      expect(saves(path, "one", 1));
      const int status = traced_child::run(
          [&] {
            loop l;
            file_credential_store store{l, path};
            const auto one = l.run(store.find_for_server(url_of("one")));
            const auto saved = l.run(store.save(url_of("two"), sample_login("two")));
            return one.has_error() && one.error().code == errc::io && saved.has_error() ? 0 : 1;
          },
          failing(SYS_openat, "/auth.json", with, false));
      expect(WIFEXITED(status) && WEXITSTATUS(status) == 0) << with;
      expect(found(path, "one") == sample_login("one", 1)) << "and nothing was written over it";
    }
  };

  "F12 a slow write to the disk does not delay reads"_test = [] {
    const folder f;
    const std::string path = f / "hawser/auth.json";
    expect(saves(path, "one", 1));
    const int status = traced_child::run(
        [&] {
          loop l;
          file_credential_store store{l, path};
          ticking t;
          l.run(both(store, t));
          return t.saved && t.asked && t.ticks > 100 && t.longest < 1s ? 0 : 1;
        },
        [](const traced_call& call) {
          const bool slow = call.number == SYS_fsync && call.file.ends_with(".new");
          return traced_action{.hold = slow ? 2000ms : 0ms};
        });
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    expect(found(path, "one") == sample_login("one", 2));
  };
};

}  // namespace credential_store_disk_test
