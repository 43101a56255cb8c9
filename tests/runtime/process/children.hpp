// SPDX-License-Identifier: MIT
// Children that are started, heard to the end and waited for, and the end of their keeper.
#pragma once

#include <fstream>
#include <string>

#include "../../../runtime/async/when.hpp"
#include "../../../runtime/process/keeper.hpp"
#include "../../support/fixture.hpp"
#include "../../support/run.hpp"
#include "../../support/ut.hpp"

namespace hawser::testing::children {

using namespace std::chrono_literals;

inline constexpr shutdown_timeouts quick{.after_stdin = 50ms, .after_sigterm = 50ms, .after_sigkill = 5s};

inline task<void> ended(child& c) {
  auto status = co_await c.shutdown(quick);
  expect(status.has_value()) << (status ? "" : status.error().what);
}
inline task<void> ended(result<child>& c) {
  if (c) co_await ended(*c);
}

inline task<void> closed(keeper& k) {
  auto gone = co_await k.close();
  expect(gone.has_value()) << (gone ? "" : gone.error().what);
}

inline int parent_of(int pid) {
  std::ifstream stat{"/proc/" + std::to_string(pid) + "/stat"};
  std::string skipped;
  int parent = 0;
  stat >> skipped >> skipped >> skipped >> parent;
  return parent;
}

inline task<std::string> read_to_the_end(stream& s) {
  std::string all;
  while (true) {
    auto bytes = co_await s.read_some();
    if (!bytes) co_return all;
    all += *bytes;
    s.consume(bytes->size());
  }
}

struct finished {
  std::string output;
  std::string errors;
  exit_status status;
};

// Starts a command, reads what it prints and waits for its end.
inline task<result<finished>> outcome_of(keeper& k, command what) {
  auto made = co_await k.spawn(std::move(what));
  if (!made) co_return made.error();
  finished f;
  auto both = co_await when_all(read_to_the_end(made->output()), read_to_the_end(made->errors()));
  f.output = std::get<0>(std::move(both));
  f.errors = std::get<1>(std::move(both));
  auto status = co_await made->shutdown({});
  if (!status) co_return status.error();
  f.status = *status;
  co_return f;
}

inline task<result<finished>> once(command what) {
  const context where = co_await this_context();
  keeper k{*where.loop};
  auto outcome = co_await outcome_of(k, std::move(what));
  auto closed = co_await k.close();
  if (!closed) co_return closed.error();
  co_return outcome;
}

inline result<finished> outcome(command what) { return run(once(std::move(what))); }

inline std::string output_of(command what) {
  auto done = outcome(std::move(what));
  return done ? done->output : "error: " + done.error().what;
}

}  // namespace hawser::testing::children
