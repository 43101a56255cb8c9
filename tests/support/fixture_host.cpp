// SPDX-License-Identifier: MIT
// A host to be killed: fixture_host TOKEN starts one child of each archetype, prints "ready" and serves until
// SIGTERM, SIGINT or SIGHUP, and then stops them all in order. The token is in the command lines of the children, not
// of the host.
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "../../runtime/async/scope.hpp"
#include "../../runtime/async/sleep.hpp"
#include "../../runtime/async/when.hpp"
#include "../../runtime/loop/signal_set.hpp"
#include "../../runtime/process/keeper.hpp"
#include "fixture.hpp"

namespace {

using namespace hawser;
using namespace std::chrono_literals;

task<bool> serve(std::string token) {
  const context where = co_await this_context();
  auto signals = signal_set::start(*where.loop, {SIGTERM, SIGINT, SIGHUP});
  if (!signals) co_return false;
  keeper k{*where.loop};
  std::vector<child> children;
  bool fine = true;
  for (const char* mode : testing::archetypes) {
    auto made = co_await k.spawn(testing::fixture_command(token, mode));
    if (made) children.push_back(std::move(*made));
    fine = fine && made.has_value();
  }
  for (std::size_t i = 0; fine && i < children.size(); ++i) {
    if (!testing::announces_itself(testing::archetypes[i])) continue;
    auto ready = co_await children[i].output().read_some();
    fine = fine && ready.has_value();
  }
  std::puts(fine ? "ready" : "failed");
  std::fflush(stdout);
  auto caught = co_await signals->next();
  fine = fine && caught.has_value();
  const shutdown_timeouts quick{.after_stdin = 20ms, .after_sigterm = 20ms, .after_sigkill = 5s};
  std::vector<task<result<exit_status>>> stops;
  stops.reserve(children.size());
  for (child& c : children) stops.push_back(c.shutdown(quick));
  for (const auto& ended : co_await when_all(std::move(stops))) fine = fine && ended.has_value();
  auto closed = co_await k.close();
  co_return fine&& closed.has_value();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  // With the token in its own command line, this program would count as a survivor.
  const std::string token{argv[1]};
  for (char* c = argv[1]; *c != '\0'; ++c) *c = '-';
  loop l;
  return l.run(serve(token)) ? 0 : 1;
}
