// SPDX-License-Identifier: MIT
#include "../../../runtime/process/detached_process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/async/timeout.hpp"
#include "../../support/every_step.hpp"
#include "../../support/fixture.hpp"
#include "../../support/run.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/ut.hpp"

namespace detached_process_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::run;
using testing::temporary_folder;

command shell(std::string script, std::vector<std::string> more = {}) {
  command what{.program = "sh"};
  what.arguments = {"-c", std::move(script), "sh"};
  what.arguments.insert(what.arguments.end(), more.begin(), more.end());
  return what;
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  return text.str();
}

task<result<exit_status>> end_of(command what) {
  const context where = co_await this_context();
  auto started = detached_process::start(*where.loop, what);
  if (!started) co_return started.error();
  auto ended = co_await started->exited();
  expect(!started->running());
  if (ended) expect(waitpid(started->pid(), nullptr, WNOHANG) == -1) << "it was reaped";
  co_return ended;
}

task<int> leave_behind(command what) {
  const context where = co_await this_context();
  auto started = detached_process::start(*where.loop, what);
  expect(fatal(started.has_value()));
  expect(started->running());
  co_return started->pid();
}

task<void> reap_unasked(command what) {
  const context where = co_await this_context();
  auto started = detached_process::start(*where.loop, what);
  expect(fatal(started.has_value()));
  for (int i = 0; i < 1000 && started->running(); ++i) {
    auto slept = co_await sleep_for(5ms);
    ignore(slept, "nobody stops it");
  }
  expect(!started->running());
  expect(waitpid(started->pid(), nullptr, WNOHANG) == -1) << "no zombie, though nobody waited";
}

task<void> start_and_wait(loop& l) {
  const testing::counted alive;
  const command what = shell("exit 0");
  auto started = detached_process::start(l, what);
  expect(started.has_value());
  if (!started) co_return;
  auto ended = co_await started->exited();
  if (!ended) expect(ended.error().code == errc::cancelled);
  waitpid(started->pid(), nullptr, 0);  // a stop leaves it to itself; the test does not
}

const suite<"launched"> all = [] {
  "how it ended is known"_test = [] {
    expect(run(end_of(shell("exit 0"))).value() == exit_status{.code = 0, .signal = 0});
    expect(run(end_of(shell("exit 7"))).value() == exit_status{.code = 7, .signal = 0});
    expect(run(end_of(shell("kill -9 $$"))).value() == exit_status{.code = 0, .signal = 9});
  };

  "it has a session of its own, /dev/null, no descriptor of ours, and the environment it was given"_test = [] {
    const temporary_folder folder;
    command what = shell("{ ps -o sid= -p $$; echo $$; ls /proc/$$/fd; readlink /proc/$$/fd/0; env; } > \"$1\"",
                         {folder / "seen"});
    what.env.set["OURS"] = "yes";
    what.env.set["PATH"] = "/usr/bin:/bin";
    what.env.from = environment::base::empty;
    const int leak = dup(1);  // without close-on-exec
    expect(run(end_of(what)).value() == exit_status{});
    close(leak);
    std::istringstream seen{text_of(folder / "seen")};
    int session = 0;
    int pid = 1;
    seen >> session >> pid;
    expect(session == pid) << session << pid;
    expect(session != getsid(0));
    const std::string rest{std::istreambuf_iterator<char>{seen}, {}};
    expect(rest.starts_with("\n0\n1\n")) << rest;
    expect(rest.find("\n" + std::to_string(leak) + "\n") == std::string::npos) << rest;
    expect(rest.find("\n/dev/null\n") != std::string::npos);
    expect(rest.find("OURS=yes\n") != std::string::npos);
    expect(rest.find("HOME=") == std::string::npos) << rest;
  };

  "arguments arrive as they are: there is no shell"_test = [] {
    const temporary_folder folder;
    const std::string odd = "$(touch " + folder.path + "/pwned); `id` 'a' \"b\" * ? \\ \n";
    const command what = shell("printf '%s|' \"$#\" \"$2\" \"$3\" > \"$1\"", {folder / "seen", odd, ""});
    expect(run(end_of(what)).value() == exit_status{});
    expect(text_of(folder / "seen") == "3|" + odd + "||");
    expect(!std::filesystem::exists(folder / "pwned"));
  };

  "a program is looked for in the PATH of its own environment, and never in the current folder"_test = [] {
    const temporary_folder folder;
    std::ofstream{folder / "hawser-opener"} << "#!/bin/sh\nexit 5\n";
    std::ofstream{folder / "not-executable"} << "x";
    std::filesystem::permissions(folder / "hawser-opener", std::filesystem::perms::owner_all);
    command what{.program = "hawser-opener", .directory = folder.path};
    what.env.set["PATH"] = "/nowhere:" + folder.path;
    expect(run(end_of(what)).value() == exit_status{.code = 5, .signal = 0});
    for (const char* path : {"", ":", "/nowhere::", "/dev/null"}) {
      what.env.set["PATH"] = path;
      const auto refused = run(end_of(what));
      expect(!refused && refused.error().code == errc::spawn && refused.error().native == ENOENT) << path;
    }
    what.program = "not-executable";
    what.env.set["PATH"] = folder.path + ":/nowhere";
    const auto refused = run(end_of(what));
    expect(fatal(!refused.has_value()));
    expect(refused.error().native == EACCES) << refused.error().what;
    expect(refused.error().what.find("not-executable") != std::string::npos);
    expect(run(end_of(command{.program = ""})).error().code == errc::spawn);
  };

  "it outlives the loop that it was started from"_test = [] {
    const temporary_folder folder;
    const int pid = run(leave_behind(shell("exec sleep 60")));
    expect(kill(pid, 0) == 0) << "it goes on";
    expect(waitpid(pid, nullptr, WNOHANG) == 0) << "and has not ended";
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  };

  "its end leaves no zombie, though nobody waits for it"_test = [] { run(reap_unasked(shell("exit 0"))); };

  "waiting for it can be stopped at every step"_test = [] {
    expect(testing::every_step([](loop& l) { return start_and_wait(l); }, {.waits = true}) > 0_i);
  };
};

}  // namespace detached_process_test
