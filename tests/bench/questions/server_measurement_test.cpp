// SPDX-License-Identifier: MIT
// The measuring itself, inside the test: what the program's own tests see is seen here under a sanitizer, too.
#include "../../../bench/questions/server_measurement.hpp"

#include <memory>

#include "../../../runtime/async/timeout.hpp"
#include "../../support/fixture.hpp"
#include "../../support/run.hpp"
#include "../../support/ut.hpp"

namespace server_measurement_test {

using namespace hawser;
using namespace hawser::bench;
using namespace std::chrono_literals;

struct run {
  run(const std::vector<std::string>& switches, duration length, duration patience, duration stopped_after = 1h) {
    options.command = {testing::program("fixture_server"), token};
    options.command.insert(options.command.end(), switches.begin(), switches.end());
    options.timeout_seconds = std::chrono::duration<double>{patience}.count();
    {
      loop home;
      home.run(measure(home, *this, length, stopped_after));
    }
    expect(testing::survivors(token, 2000).empty());
  }

  static task<void> measure(loop& home, run& self, duration length, duration stopped_after) {
    auto settings = settings_for(self.options);
    expect(fatal(settings.has_value()));
    hub at{home, host_settings{}};
    auto opened = co_await at.open();
    expect(opened.has_value());
    const measurement_time budget{.length = length, .grace = 300ms};
    server_measurement all{at, *std::move(settings), self.options, budget, self.found};
    auto done = co_await with_timeout(stopped_after, all.run());
    if (!done) self.failure = done.error();
    auto closed = co_await at.close();
    expect(closed.has_value());
  }

  std::string token = testing::new_token();
  server_options options{};
  server_results found{};
  std::optional<error> failure{};
};

// On a busy machine a start alone may take half a second, so that time ends before the point that a test is about. Then
// there is four times as much, and again.
std::unique_ptr<run> run_until(bool (*there)(const run&), const std::vector<std::string>& switches = {}) {
  std::unique_ptr<run> last;
  for (const auto length : {600ms, 2400ms, 9600ms}) {
    last = std::make_unique<run>(switches, length, length / 2);
    if (there(*last)) break;
  }
  return last;
}

// Under a sanitizer there may be no time for hundreds in flight; that all of them are measured is server_test's to see,
// in release.
bool saw_every_phase(const run& r) {
  return !r.failure && r.found.calls.latency.count() > 0 && r.found.cheapest.latency.count() > 0 &&
         !r.found.closed.points.empty() && !r.found.open.points.empty();
}
bool saw_the_21st_call(const run& r) { return r.failure && r.found.ends.answered() == 20; }
// By the time that a call has, or, where the machine was busy, by that of its phase.
bool was_told_as_silence(const std::string& what) {
  return what.starts_with("timed out") || what.starts_with("it hangs");
}
bool saw_it_fall_silent(const run& r) { return saw_the_21st_call(r) && was_told_as_silence(r.failure->what); }

const suite<"server_measurement"> tests = [] {
  "every phase leaves its figures"_test = [] {
    const auto r = run_until(saw_every_phase);
    expect(not r->failure.has_value()) << (r->failure ? r->failure->what : "");
    expect(not r->found.starts_ms.empty() and r->found.idle.processes == 1_i and r->found.host.processes == 1_i);
    expect(r->found.calls.latency.count() > 0_ul and r->found.cheapest.latency.count() > 0_ul);
    expect(not r->found.closed.points.empty() and not r->found.open.points.empty());
    expect(r->found.ends.failed() == 0_ul) << r->found.ends.failed();
  };

  "a death in the middle leaves what was found before, and says in which phase it was"_test = [] {
    const auto r = run_until(saw_the_21st_call, {"--good-calls", "20", "--then", "die"});
    expect(fatal(r->failure.has_value()));
    expect(r->failure->what.find("exited with 7") != std::string::npos) << r->failure->what;
    expect(r->found.ends.answered() == 20_ul and r->found.ends.failed() >= 1_ul);
    expect(r->found.phase != "start" and not r->found.starts_ms.empty()) << r->found.phase;
  };

  "silence in the middle is a failure, and not the end of the time"_test = [] {
    const auto r = run_until(saw_it_fall_silent, {"--good-calls", "20", "--then", "hang"});
    expect(fatal(r->failure.has_value()));
    expect(was_told_as_silence(r->failure->what)) << r->failure->what;
    expect(r->found.ends.answered() == 20_ul);
  };

  "a stop at any time ends the measurement and leaves no process"_test = [] {
    for (const auto after : {0ms, 1ms, 5ms, 20ms, 60ms, 150ms, 300ms, 450ms}) {
      const run r{{}, 500ms, 5s, after};
      // What there is no time for is left out, so that a slow machine may be done before the latest of these.
      const bool as_it_should = r.failure ? r.failure->code == errc::timed_out : not r.found.missing.empty();
      expect(as_it_should) << after.count() << (r.failure ? r.failure->what : "");
    }
  };
};

}  // namespace server_measurement_test
