// SPDX-License-Identifier: MIT
// Servers that do not start, or take their time: what the host says of them, and whether it tries again.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "../../support/hub_fixture.hpp"
#include "../../support/temporary_folder.hpp"

namespace server_start_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::call_outcome;
using testing::contains;
using testing::hub_fixture;
using testing::manual_clock;
using testing::processes_with;
using testing::temporary_folder;
using testing::with_hub;
using state = server_state;

server_settings running(const hub_fixture& h, const std::string& name, std::string command) {
  server_settings s = h.shell(name, "");
  s.transport = stdio_settings{.command = std::move(command), .env = {{"PATH", "/bin:/usr/bin"}}};
  return s;
}

// What will be the same at the next try is not tried again, however long the host runs.
task<void> stays_failed(hub_fixture& h, std::string name, std::string says) {
  const server_status got = co_await h.until(name, state::failed);
  expect(contains(got.reason, says)) << got.reason;
  expect(!got.advice.empty());
  for (int i = 0; i < 20; ++i) co_await h.pass(1min);
  const auto later = h.of.status(name);
  expect(later->state == state::failed && later->restarts == 0_ul) << "a retry loop";
  const call_outcome ready = co_await h.call(name + "__echo");
  expect(ready.failed_with(errc::tool_unknown, execution::no)) << ready.said();
  auto asked = co_await h.of.ready(name);
  expect(asked.has_error() && asked.error().code == errc::spawn && asked.error().server == name);
}

task<void> no_such_command(hub_fixture& h) {
  // Of several, since another program may have the processor; the first one starts the keeper, too.
  auto fastest = std::chrono::steady_clock::duration::max();
  for (const std::string name : {"a", "b", "c", "d", "e"}) {
    const auto begin = std::chrono::steady_clock::now();
    h.add(running(h, name, "no-such-command"));
    co_await h.until(name, state::failed);
    fastest = std::min(fastest, std::chrono::steady_clock::now() - begin);
  }
  expect(fastest <= 100ms) << std::chrono::duration_cast<std::chrono::milliseconds>(fastest).count() << "ms";
  co_await stays_failed(h, "a", "spawn \"no-such-command\": No such file or directory (looked in PATH=/bin:/usr/bin)");
}

task<void> not_executable(hub_fixture& h) {
  const temporary_folder folder;
  std::ofstream{folder / "plain"} << "touch " << folder / "ran";
  std::ofstream{folder / "script"} << "touch " << folder / "ran";
  chmod((folder / "script").c_str(), 0755);
  h.add(running(h, "plain", folder / "plain"));
  h.add(running(h, "script", folder / "script"));
  h.add(running(h, "folder", folder.path));
  auto all = co_await h.of.settled();
  expect(all.has_value());
  co_await stays_failed(h, "plain", "Permission denied");
  co_await stays_failed(h, "script", "Exec format error");
  co_await stays_failed(h, "folder", "Is a directory");
  expect(!std::filesystem::exists(folder / "ran")) << "a shell has tried it";
}

task<void> no_folder(hub_fixture& h) {
  server_settings s = h.shell("a", "serve");
  std::get<stdio_settings>(s.transport).cwd = "/no/such/folder";
  h.add(std::move(s));
  co_await stays_failed(h, "a", "working directory");
}

task<void> exits_at_once(hub_fixture& h) {
  h.add(h.shell("old", "echo 'no config found' >&2; exit 0"));
  server_settings either = h.shell("either", "echo 'no config found' >&2; exit 0");
  either.protocol = {};
  h.add(std::move(either));
  for (const std::string name : {"old", "either"}) {
    // The clock stands still: no handshake can have run out of time.
    const server_status got = co_await h.until(name, state::degraded);
    expect(contains(got.reason, "exited with 0") && contains(got.reason, "no config found")) << got.reason;
    expect(got.pid == 0_i && got.restarts == 0_ul);
  }
}

task<void> long_last_words(hub_fixture& h) {
  h.add(h.shell("a", R"(head -c 100000 /dev/zero | tr '\0' x >&2; printf '\033[31mthe end\n' >&2; exit 1)"));
  const server_status got = co_await h.until("a", state::degraded);
  expect(contains(got.reason, "exited with 1") && contains(got.reason, "\\u001b[31mthe end")) << got.reason;
  expect(!contains(got.reason, "\x1b") && got.reason.size() < 2000_ul);
  expect(h.of.stderr_tail("a").size() == 16'384_ul && h.of.stderr_tail("a").ends_with("the end\n"));
}

task<void> never_answers(hub_fixture& h) {
  server_settings mute = h.shell("mute", "sleep 60 & trap '' TERM; sleep 60");
  mute.startup_timeout = 300ms;
  h.add(std::move(mute));
  server_settings silent = h.fixture_server("silent", {"--legacy-only", "--silent-initialize"});
  silent.startup_timeout = 300ms;
  h.add(std::move(silent));
  h.add(h.shell("good", "serve"));
  co_await h.until("good", state::ready);
  expect(h.of.status("mute")->state == state::starting) << "others are usable meanwhile";
  const call_outcome got = co_await h.call("good__echo");
  expect(got.text == "ok") << got.said();
  for (const std::string name : {"mute", "silent"}) {
    const server_status ended = co_await h.until(name, state::degraded);
    expect(contains(ended.reason, "it did not answer within 0.3 s")) << ended.reason;
    expect(processes_with(h.token + '-' + name).empty()) << "its tree is killed before it is started again";
  }
}

// Longer than a start holds its place, and than everybody else needs.
task<void> answers_late(hub_fixture& h) {
  h.add(h.shell("late", "request; sleep 1; usual; request; usual; serve"));
  h.add(h.shell("good", "serve"));
  co_await h.until("good", state::ready);
  expect(h.of.status("late")->state == state::starting && h.of.tools()->find("late__echo") == nullptr);
  co_await h.until("late", state::ready);
  const call_outcome got = co_await h.call("late__echo");
  expect(got.text == "ok") << got.said();
  expect(h.told_of(host_change::kind::tools, "late") == 1_ul) << "one change for one list";
}

// The user may have no further process: neither the keeper can be started nor, where it runs, a child of it.
class no_more_processes {
 public:
  explicit no_more_processes(pid_t of) : of_(of) {
    prlimit(of_, RLIMIT_NPROC, nullptr, &before_);
    const rlimit one{1, before_.rlim_max};
    prlimit(of_, RLIMIT_NPROC, &one, nullptr);
  }
  no_more_processes(const no_more_processes&) = delete;
  no_more_processes& operator=(const no_more_processes&) = delete;
  ~no_more_processes() { prlimit(of_, RLIMIT_NPROC, &before_, nullptr); }

 private:
  pid_t of_;
  rlimit before_{};
};

// The limit does not hold for root.
class ordinary_user {
 public:
  ordinary_user() : root_(geteuid() == 0) {
    if (root_) expect(setresgid(nobody, nobody, 0) == 0 && setresuid(nobody, nobody, 0) == 0);
  }
  ordinary_user(const ordinary_user&) = delete;
  ordinary_user& operator=(const ordinary_user&) = delete;
  ~ordinary_user() {
    if (root_) expect(setresuid(0, 0, 0) == 0 && setresgid(0, 0, 0) == 0);
  }

 private:
  static constexpr unsigned nobody = 65534;
  bool root_;
};

int keeper_of_this_process() {
  std::ifstream list{"/proc/self/task/" + std::to_string(getpid()) + "/children"};
  int pid = 0;
  int last = 0;
  while (list >> pid) last = pid;
  return last;
}

constexpr std::string_view no_process = "esource temporarily unavailable";

// In a folder that an ordinary user may enter: root's own checkout may be none.
server_settings serving_anywhere(const hub_fixture& h, const std::string& name) {
  server_settings s = h.shell(name, "serve");
  std::get<stdio_settings>(s.transport).cwd = "/";
  return s;
}

task<void> no_process_left(hub_fixture& h) {
  const ordinary_user me;
  const std::size_t descriptors = testing::open_descriptors();
  {
    const no_more_processes now{0};
    h.add(serving_anywhere(h, "a"));
    const server_status got = co_await h.until("a", state::degraded);
    expect(contains(got.reason, "keeper") && contains(got.reason, no_process)) << got.reason;
    expect(testing::open_descriptors() == descriptors) << "nothing of the attempt is left";
    co_await h.pass(1200ms);
    const server_status again = co_await h.until("a", state::degraded);
    expect(again.restarts == 1_ul);
  }
  co_await h.pass(1200ms);
  expect(h.of.status("a")->restarts == 1_ul) << "the second pause is longer";
  co_await h.pass(1200ms);
  co_await h.until("a", state::ready);
  {
    const no_more_processes now{keeper_of_this_process()};
    h.add(serving_anywhere(h, "b"));
    const server_status got = co_await h.until("b", state::degraded);
    expect(contains(got.reason, no_process)) << got.reason;
    const call_outcome fine = co_await h.call("a__echo");
    expect(fine.text == "ok") << fine.said();
  }
  co_await h.pass(1200ms);
  co_await h.until("b", state::ready);
}

// Every file of the host counts: a newcomer finds none left, those that run have theirs.
task<void> no_descriptor_left(hub_fixture& h) {
  h.add(h.shell("old", "serve"));
  co_await h.until("old", state::ready);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{testing::open_descriptors() + 2, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  h.add(h.shell("new", "serve"));
  const server_status refused = co_await h.until("new", state::degraded);
  const call_outcome got = co_await h.call("old__echo");
  setrlimit(RLIMIT_NOFILE, &before);
  expect(contains(refused.reason, "too many open files")) << refused.reason;
  expect(got.text == "ok") << got.said();
  co_await h.pass(1200ms);
  co_await h.until("new", state::ready);
}

// Both answer the handshake at once; the first list of one of them never comes.
task<void> lists_never(hub_fixture& h) {
  h.far.listed = [](std::string_view) { return std::string{}; };
  server_settings mute{.name = "mute"};
  mute.protocol.era = protocol_choice::kind::legacy;
  mute.startup_timeout = 2s;
  auto id = h.of.add_server(std::move(mute), h.far.connect());
  expect(id.has_value());
  auto ready = co_await h.of.ready("mute");
  expect(ready.has_error() && ready.error().code == errc::timed_out);
  if (!ready)
    expect(contains(ready.error().what,
                    "its tools were not listed within 2.0 s of its start; set a longer \"startup_timeout\""))
        << ready.error().what;
  expect(h.clock->elapsed() <= 3s);
  h.far.listed = [](std::string_view) { return testing::in_process_server::one_tool("echo"); };
  co_await h.until("mute", state::ready);
  expect(h.of.tools()->find("mute__echo") != nullptr) << "it is started again";
}

// The silence after the probe takes three seconds of the five.
task<void> one_time_for_all(hub_fixture& h) {
  h.far.listed = [](std::string_view) { return std::string{}; };
  server_settings slow{.name = "slow"};
  slow.startup_timeout = 5s;
  auto id = h.of.add_server(std::move(slow), h.far.connect());
  expect(id.has_value());
  auto ready = co_await h.of.ready("slow");
  expect(ready.has_error() && ready.error().code == errc::timed_out);
  expect(h.clock->elapsed() >= 5s && h.clock->elapsed() <= 6s);
}

void without_time(testing::hub_body inside) {
  manual_clock clock{manual_clock::when_idle::stand_still};
  with_hub(inside, {}, {}, &clock);
}

const suite<"server start"> tests = [] {
  "A01 a command that does not exist is named with its PATH within 100 ms and not tried again"_test = [] {
    without_time(no_such_command);
  };
  "A02 what cannot be executed is said with its reason, and neither a shell nor a second try follows"_test = [] {
    without_time(not_executable);
  };
  "A03 where no process can be made the start is tried again later, and leaves no descriptor"_test = [] {
    without_time(no_process_left);
  };
  "A04 a server that exits before it says anything is reported at once, with its last words"_test = [] {
    without_time(exits_at_once);
  };
  "A05 of long last words the end is kept, and shown without control characters"_test = [] {
    without_time(long_last_words);
  };
  "A06 a server that never answers is given up and its tree killed, while the others serve"_test = [] {
    with_hub(never_answers);
  };
  "FRZ-7 startup_timeout covers the first list of tools, too"_test = [] {
    manual_clock clock;
    with_hub(lists_never, {}, {}, &clock);
  };
  "FRZ-7 finding out the era, the handshake and the first list share one startup_timeout"_test = [] {
    manual_clock clock;
    with_hub(one_time_for_all, {}, {}, &clock);
  };
  "A07 a server that answers late is listed late, by one change"_test = [] { with_hub(answers_late); };
  "A33 a working directory that is not there is said, and not tried again"_test = [] { without_time(no_folder); };
  "A36 without descriptors the newcomer waits, and those that run go on"_test = [] {
    without_time(no_descriptor_left);
  };
};

}  // namespace server_start_test
