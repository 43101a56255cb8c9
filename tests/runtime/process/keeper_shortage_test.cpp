// SPDX-License-Identifier: MIT
// A program that is short of what a start needs: descriptors, memory, room for files, descriptors on their way.
#include <sys/resource.h>
#include <sys/syscall.h>

#include <csignal>
#include <filesystem>

#include "../../support/contains.hpp"
#include "../../support/manual_clock.hpp"
#include "../../support/traced_child.hpp"
#include "children.hpp"

namespace keeper_shortage_test {

using namespace hawser;
using namespace hawser::testing::children;
using namespace std::chrono_literals;
using testing::contains;
using testing::fixture_command;
using testing::manual_clock;
using testing::run;
using testing::traced_action;
using testing::traced_call;
using testing::traced_child;

// With so many descriptors to be had, from none at all to enough.
task<result<child>> first_start(keeper& k, rlim_t free) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlim_t highest = 0;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc/self/fd"})
    highest = std::max<rlim_t>(highest, std::stoul(entry.path().filename()));
  const rlimit low{.rlim_cur = highest + 1 + free, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &low);
  auto made = co_await k.spawn(fixture_command("x", "exit"));
  setrlimit(RLIMIT_NOFILE, &before);
  co_return made;
}

task<int> starts_when_short(rlim_t free) {
  const context where = co_await this_context();
  keeper k{*where.loop};
  auto made = co_await first_start(k, free);
  const int why = made ? 0 : made.error().native;
  const std::string what = made ? "" : made.error().what;
  co_await ended(made);
  auto again = co_await k.spawn(fixture_command("x", "exit"));
  expect(again.has_value()) << "with" << free << "it failed:" << what
                            << "and now:" << (again ? "" : again.error().what);
  co_await ended(again);
  co_await closed(k);
  co_return why;
}

task<errc> start_with(command what) {
  const context where = co_await this_context();
  keeper k{*where.loop};
  auto made = co_await k.spawn(std::move(what));
  const errc why = made ? errc{} : made.error().code;
  co_await ended(made);
  co_await closed(k);
  co_return why;
}

// In a process of its own: says why nothing could be started, if so.
task<error> failure_of_a_start() {
  const context where = co_await this_context();
  keeper k{*where.loop};
  auto made = co_await k.spawn(fixture_command("x", "exit"));
  const error why = made ? error{} : made.error();
  co_await ended(made);
  co_await closed(k);
  co_return why;
}
int why_it_fails() { return run(failure_of_a_start()).native; }

// Whether a start that cannot be asked for is told so in half a minute, by a clock that jumps there.
bool ends_too_late() {
  manual_clock clock;
  const error why = run(clock, failure_of_a_start());
  return why.code == errc::spawn && contains(why.what, "too many descriptors on their way") && clock.elapsed() >= 30s;
}

const suite<"keeper requests"> tests = [] {
  "A36 a program that is short of descriptors can start its keeper later, however many were missing"_test = [] {
    bool enough = false;
    for (rlim_t free = 0; !enough && free < 60; ++free) {
      const int why = run(starts_when_short(free));
      enough = why == 0;
      expect(enough || why == EMFILE || why == -EMFILE) << free << why;
    }
    expect(enough);
  };

  "A36 a keeper for which there is no memory or descriptor is not looked for elsewhere: a later try may have them"_test =
      [] {
        for (const int short_of : {EMFILE, ENFILE, ENOMEM}) {
          const int status = traced_child::run([] { return why_it_fails(); },
                                               [&](const traced_call& call) {
                                                 const bool image = call.number == SYS_memfd_create;
                                                 return traced_action{.fail_with = image ? short_of : 0};
                                               });
          expect(WIFEXITED(status) && WEXITSTATUS(status) == short_of) << short_of << status;
        }
      };

  "A36 a limit below the numbers that a keeper's descriptors get is a want of descriptors, too"_test = [] {
    const int status = traced_child::run([] { return why_it_fails(); },
                                         [](const traced_call& call) {
                                           const bool up = call.number == SYS_fcntl && call.second == F_DUPFD_CLOEXEC &&
                                                           call.third > 0;
                                           return traced_action{.fail_with = up ? EINVAL : 0};
                                         });
    expect(WIFEXITED(status) && WEXITSTATUS(status) == EMFILE) << status;
  };

  "a limit for the size of files is an error of a start, and no signal"_test = [] {
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit low{.rlim_cur = 4096, .rlim_max = before.rlim_max};
    expect(setrlimit(RLIMIT_FSIZE, &low) == 0);
    const errc small = run(start_with(fixture_command("x", "exit")));
    const errc large = run(start_with(fixture_command("x", "exit", {"0", std::string(100'000, 'x')})));
    setrlimit(RLIMIT_FSIZE, &before);
    expect(small == errc{}) << "a keeper lies beside the program";
    expect(large == errc::io) << "the request is larger";
    expect(raise(0) == 0 && signal(SIGXFSZ, SIG_DFL) == SIG_DFL);
  };

  "a user whose descriptors on the way are too many waits until there are fewer, and not for ever"_test = [] {
    int refused = 0;
    const auto some = [&](const traced_call& call) {
      const bool refuse = call.number == SYS_sendmsg && refused < 3;
      if (refuse) ++refused;
      return traced_action{.fail_with = refuse ? ETOOMANYREFS : 0};
    };
    const int late = traced_child::run([] { return why_it_fails(); }, some);
    expect(WIFEXITED(late) && WEXITSTATUS(late) == 0 && refused == 3_i) << late << refused;
    const auto all = [](const traced_call& call) {
      return traced_action{.fail_with = call.number == SYS_sendmsg ? ETOOMANYREFS : 0};
    };
    const int never = traced_child::run([] { return ends_too_late() ? 0 : 1; }, all);
    expect(WIFEXITED(never) && WEXITSTATUS(never) == 0) << never;
  };
};

}  // namespace keeper_shortage_test
