// SPDX-License-Identifier: MIT
// A hub for tests: servers that are shell scripts or a fixture_server, calls that count how often they end, and a
// check that no process is left. Not for the thread-safe `host`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../host/hub.hpp"
#include "../../runtime/async/scope.hpp"
#include "../../runtime/async/sleep.hpp"
#include "../../runtime/async/timeout.hpp"
#include "call_outcome.hpp"
#include "fixture.hpp"
#include "in_process_server.hpp"
#include "manual_clock.hpp"
#include "shell_server.hpp"
#include "ut.hpp"

namespace hawser::testing {

class hub_fixture {
 public:
  hub_fixture(loop& l, host_settings settings, hub_options options, manual_clock* by)
      : home(l), clock(by), of(l, std::move(settings), heard_by(std::move(options))) {}

  loop& home;
  manual_clock* clock;
  std::string token = new_token();
  std::vector<host_change> told{};
  event changed{};
  in_process_server far{home};
  hub of;

  /// Pinned to the legacy era, because the shell server does not support the modern one, with short shutdown
  /// timeouts.
  [[nodiscard]] server_settings shell(const std::string& name, std::string_view text) const {
    return made(
        name, {.command = "/bin/sh", .args = {"-c", std::string{shell_words} + std::string{text}, token + '-' + name}});
  }
  [[nodiscard]] server_settings fixture_server(const std::string& name, std::vector<std::string> switches = {}) const {
    switches.push_back(token + '-' + name);
    return made(name, {.command = program("fixture_server"), .args = std::move(switches)});
  }
  void add(server_settings added) {
    auto id = of.add_server(std::move(added));
    expect(id.has_value()) << (id ? "" : id.error().what);
  }

  /// Adds the server that the test itself plays, in the era of `far`; waits until it is listed.
  task<void> add_in_process_server(std::string name = "far") {
    server_settings s{.name = name};
    s.protocol.era = far.modern ? protocol_choice::kind::modern : protocol_choice::kind::legacy;
    auto id = of.add_server(std::move(s), far.connect());
    expect(id.has_value());
    co_await until(std::move(name), server_state::ready);
  }

  /// Waits until a server is in this state; bounded by the loop's clock or by the runner.
  task<server_status> until(std::string name, server_state state) {
    for (;;) {
      const auto now = of.status(name);
      if (now && now->state == state) co_return *now;
      changed.reset();
      auto more = co_await with_timeout(std::chrono::seconds{60}, wait(changed));
      if (more) continue;
      expect(false) << name << "is not" << to_string(state) << "but" << (now ? to_string(now->state) : "absent")
                    << (now ? now->reason : "");
      co_return now.value_or(server_status{});
    }
  }
  /// Runs a few loop iterations, so that everything that is ready has run.
  static task<void> turns(int count = 20) {
    for (int i = 0; i < count; ++i) {
      auto turn = co_await sleep_for(duration::zero());
      expect(turn.has_value());
    }
  }
  task<void> pass(duration time) {
    co_await turns();
    clock->advance(time);
    co_await turns();
  }

  task<call_outcome> call(std::string tool, std::string arguments = "{}", request_options settings = {}) {
    call_outcome got;
    co_await record_call(of, got, std::move(tool), std::move(arguments), std::move(settings));
    co_return got;
  }
  [[nodiscard]] std::size_t told_of(host_change::kind what, std::string_view server) const {
    std::size_t count = 0;
    for (const host_change& one : told) count += one.what == what && one.server == server ? 1 : 0;
    return count;
  }
  [[nodiscard]] int pid(std::string_view name) const { return of.status(name).value_or(server_status{}).pid; }

 private:
  static task<result<void>> wait(event& e) { co_return co_await e.wait(); }
  [[nodiscard]] server_settings made(const std::string& name, stdio_settings child) const {
    // With a manual clock, timeouts would never expire.
    const std::chrono::milliseconds patience{clock != nullptr ? 0 : 100};
    server_settings s{.name = name, .transport = std::move(child)};
    s.protocol.era = protocol_choice::kind::legacy;
    s.ladder = {.after_stdin = patience, .after_sigterm = patience, .after_sigkill = std::chrono::seconds{10}};
    return s;
  }
  hub_options heard_by(hub_options options) {
    options.on_change = [this](const host_change& one) {
      told.push_back(one);
      changed.set();
    };
    return options;
  }
};

using hub_body = task<void> (*)(hub_fixture&);

inline task<void> run_in_hub_fixture(hub_fixture& h, hub_body inside) {
  auto opened = co_await h.of.open();
  expect(opened.has_value());
  co_await inside(h);
  auto closed = co_await h.of.close();
  expect(closed.has_value()) << (closed ? "" : closed.error().what);
  co_await hub_fixture::turns();  // so that the far end sees the close, too
  co_await h.far.closed();
}

/// Runs `inside` with an open hub; afterwards none of its processes may be left.
inline void with_hub(hub_body inside, host_settings settings = {}, hub_options options = {},
                     manual_clock* by = nullptr) {
  std::string token;
  {
    loop l{loop::options{.clock = by}};
    hub_fixture h{l, std::move(settings), std::move(options), by};
    token = h.token;
    l.run(run_in_hub_fixture(h, inside));
  }
  const auto left = survivors(token, 2000);
  expect(left.empty()) << left.size() << "processes are left";
}

}  // namespace hawser::testing
