// SPDX-License-Identifier: MIT
#include "server_measurement.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "../../oauth/display_text.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../report/progress.hpp"

namespace hawser::bench {

namespace {

constexpr int most_starts = 5;
constexpr std::array levels{1, 2, 4, 8, 16, 32, 64, 128, 256};
constexpr std::array fractions{0.25, 0.5, 0.75, 0.9};

// Shares of the time, from the first start. The rest of each share is for slow responses.
constexpr double for_starts = 0.15;
constexpr double for_cheapest = 0.05;  // to find out whether the server supports it
constexpr double for_warm_up = 0.05;
constexpr double for_one_after_the_other = 0.25;
constexpr double until_open_loops = 0.75;  // by then the closed loops are over
// Alternating in short turns exposes both to the same conditions.
constexpr duration a_turn = std::chrono::milliseconds{25};

double milliseconds(duration d) { return std::chrono::duration<double, std::milli>{d}.count(); }

// One tools/call through the hub, as any program makes it.
task<call_end> call_once(hub& at, server_id id, std::string server, std::string tool, std::string arguments) {
  request_options usual;
  auto answer = co_await at.call(id, std::move(tool), std::move(arguments), std::move(usual));
  if (answer && !answer->is_error()) co_return call_end{};
  if (answer) co_return call_end{.how = call_end::kind::tool_error, .text = answer->text()};
  call_end end = call_end::of(answer.error());
  if (end.how == call_end::kind::unreachable) {
    // A process that has exited does not come back. A server on the network may have closed one connection of many.
    const auto now = at.status(server);
    end.fatal = !now || now->transport == "stdio" || now->state != server_state::ready;
  }
  co_return end;
}

task<call_end> ask_once(hub& at, std::string server, std::string method) {
  request_options usual;
  auto answer = co_await at.request(std::move(server), std::move(method), std::string{}, std::move(usual));
  if (!answer) co_return call_end::of(answer.error());
  co_return call_end{};
}

task<result<call_end>> within(one_call call) { co_return co_await call(); }

// The most severe kind of failure.
std::string worst_of(const tally& ends) {
  using kind = call_end::kind;
  for (const kind how : {kind::unreachable, kind::timed_out, kind::refused, kind::malformed, kind::tool_error}) {
    if (ends.of(how).count > 0) return std::string{to_string(how)} + ": " + ends.of(how).example;
  }
  return "no call was answered";
}

}  // namespace

void server_measurement::enter(std::string phase) {
  found_.phase = std::move(phase);
  const duration gone = budget_.begin == time_point{} ? duration::zero() : clock_.now() - budget_.begin;
  const auto percent = static_cast<int>(100 * gone.count() / std::max<duration::rep>(1, budget_.length.count()));
  show_progress((found_.phase + ", percent of the time").c_str(), std::min(percent, 100), 100);
}

bool server_measurement::in_time(const std::string& what, time_point until) {
  if (clock_.now() < until) return true;
  found_.missing.push_back(what);
  return false;
}

load_bounds server_measurement::bounds(duration length) {
  return {.begin_until = std::min(clock_.now() + length, budget_.end()), .give_up = budget_.end() + budget_.grace};
}

// An equal part of the time left for the remaining loads.
load_bounds server_measurement::bounds_until(time_point until, std::size_t left) {
  return bounds((until - clock_.now()) / static_cast<duration::rep>(left));
}

one_call server_measurement::call() const {
  return [this] { return call_once(hub_, id_, settings_.name, found_.chosen.tool, found_.chosen.arguments); };
}

one_call server_measurement::cheapest_call() const {
  return [this] { return ask_once(hub_, settings_.name, found_.cheapest.name); };
}

void server_measurement::look_at_memory() {
  const auto now = hub_.status(settings_.name);
  const memory_use seen = now ? server_memory_of(now->pid) : memory_use{};
  if (found_.idle.processes == 0) found_.idle = seen;
  memory_use& most = found_.most;
  most.pss_kb = std::max(most.pss_kb, seen.pss_kb);
  most.rss_kb = std::max(most.rss_kb, seen.rss_kb);
  most.processes = std::max(most.processes, seen.processes);
  most.threads = std::max(most.threads, seen.threads);
}

// Whether to continue after a load.
result<void> server_measurement::judge(const load_result& one, bool stopped) {
  found_.ends.add(one.ends);
  if (stopped) return cancelled_error();
  const bool nothing = one.ends.answered() == 0 && one.ends.all() > 0;
  if (one.broken || (nothing && one.silent == duration::zero()))
    return error{.code = errc::remote, .what = worst_of(one.ends)};
  // Slow calls may be in flight at the end, but not for much longer than all calls before them.
  const auto usual = std::chrono::duration<double, std::micro>{one.latency.percentile(99)};
  if (one.silent > std::chrono::seconds{1} && (nothing || one.silent > 4 * usual))
    return error{.code = errc::timed_out,
                 .what = "it hangs: " + std::to_string(one.ends.of(call_end::kind::given_up).count) +
                         " calls under way, and no answer for " +
                         std::to_string(std::lround(milliseconds(one.silent))) + " ms"};
  return {};
}

rate_point server_measurement::note(const load_result& one, double offered) {
  look_at_memory();
  return {.offered = offered,
          .per_second = one.per_second(),
          .p50_us = one.latency.percentile(50),
          .p99_us = one.latency.percentile(99),
          .errors = one.ends.failed(),
          .unsent = one.unsent};
}

task<result<void>> server_measurement::start_once() {
  const time_point begin = clock_.now();
  auto added = hub_.add_server(settings_);
  if (!added) co_return added.error();
  id_ = *added;
  auto ready = co_await hub_.ready(settings_.name);
  const auto now = hub_.status(settings_.name);
  if (!ready) {
    error why = ready.error();
    if (now && !now->reason.empty()) why.what = now->reason;  // its advice is for configured servers
    co_return why;
  }
  found_.starts_ms.push_back(milliseconds(clock_.now() - begin));
  if (now && now->state == server_state::degraded)
    co_return error{.code = errc::remote, .what = "its tools could not be listed: " + now->reason};
  if (now) found_.negotiated = now->negotiated;
  co_return result<void>{};
}

// From nothing to the listed tools, several times; the last instance is the one that is called.
task<result<void>> server_measurement::start_often() {
  enter("start");
  auto first = co_await start_once();
  if (!first) co_return first;
  budget_.begin = clock_.now();
  duration last{};
  for (int i = 1; i < most_starts && clock_.now() + last < budget_.begin + budget_.part(for_starts); ++i) {
    enter("start " + std::to_string(i + 1));
    const time_point begin = clock_.now();
    auto removed = co_await hub_.remove_server(settings_.name);
    if (!removed) co_return removed;
    auto again = co_await start_once();
    if (!again) co_return again;
    last = clock_.now() - begin;
  }
  co_return result<void>{};
}

task<result<void>> server_measurement::choose() {
  enter("choice of the tool");
  const table_ref held = hub_.tools();
  std::vector<tool> all;
  for (const tool_row* row : *held) {
    if (row->server == id_) all.push_back(*row->definition);
  }
  auto chosen = choose_tool(all, options_.tool, options_.arguments);
  if (!chosen) co_return chosen.error();
  found_.chosen = *std::move(chosen);
  found_.calls.name = "tools/call " + display_text(found_.chosen.tool, 64);
  co_return result<void>{};
}

// A call that fails alone need not be tried a hundred thousand times.
task<result<void>> server_measurement::first_call() {
  enter("first call");
  const duration length = budget_.end() + budget_.grace - clock_.now();
  one_call what = call();
  auto ended = co_await with_timeout(length, within(std::move(what)));
  const context where = co_await this_context();
  if (!ended) co_return ended.error();
  found_.ends.add(*ended);
  if (where.stop_requested()) co_return cancelled_error();
  if (ended->how != call_end::kind::answered)
    co_return error{.code = errc::remote, .what = std::string{to_string(ended->how)} + ": " + ended->text};
  // The modern era has no ping; its servers must answer server/discover.
  found_.cheapest.name = found_.negotiated.modern() ? "server/discover" : "ping";
  const duration a_moment = budget_.part(for_cheapest);
  one_call cheapest = cheapest_call();
  auto cheap = co_await with_timeout(a_moment, within(std::move(cheapest)));
  if (!cheap || cheap->how != call_end::kind::answered) found_.cheapest.name.clear();
  look_at_memory();
  found_.host = memory_of(getpid());
  co_return result<void>{};
}

task<result<void>> server_measurement::one_after_the_other() {
  const context where = co_await this_context();
  enter("warm-up");
  one_call first = call();
  const load_bounds a_while = bounds(budget_.part(for_warm_up));
  auto warm_up = co_await closed_loop(clock_, std::move(first), 1, a_while);
  if (auto fine = judge(warm_up, where.stop_requested()); !fine) co_return fine;
  const time_point until = std::min(clock_.now() + budget_.part(for_one_after_the_other), budget_.end());
  while (clock_.now() < until) {
    enter("calls one after the other");
    std::size_t answered = 0;  // of the two
    for (candidate* one : {&found_.cheapest, &found_.calls}) {
      if (one->name.empty()) continue;
      const load_bounds turn{.begin_until = std::min(clock_.now() + a_turn, until),
                             .give_up = budget_.end() + budget_.grace};
      const bool is_call = one == &found_.calls;
      one_call what = is_call ? call() : cheapest_call();
      auto done = co_await closed_loop(clock_, std::move(what), 1, turn);
      for (const std::int64_t value : done.latency.values()) one->latency.add(duration{value});
      answered += done.latency.count() > 0 ? 1 : 0;
      if (where.stop_requested() && !is_call) co_return cancelled_error();
      if (!is_call) continue;  // only calls are counted as such
      if (auto fine = judge(done, where.stop_requested()); !fine) co_return fine;
    }
    // Rounds are compared in pairs: a round that only one of the two has would shift all later pairs.
    if (answered != (found_.cheapest.name.empty() ? 1U : 2U)) continue;
    if (!found_.cheapest.name.empty()) found_.cheapest.latency.end_round();
    found_.calls.latency.end_round();
  }
  co_return result<void>{};
}

// A level takes its share of the time, plus the calls still in flight then, twice as many as at the previous level. A
// level that would take the time of later phases is left out.
task<result<void>> server_measurement::closed_loops() {
  const context where = co_await this_context();
  const time_point until = budget_.begin + budget_.part(until_open_loops);
  duration tail{};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::string what = "closed loop, " + std::to_string(levels[i]) + " in flight";
    if (!in_time(what, until - tail)) continue;
    enter(what);
    one_call one = call();
    const load_bounds its_part = bounds_until(until, levels.size() - i);
    auto done = co_await closed_loop(clock_, std::move(one), levels[i], its_part);
    if (done.ends.answered() > 0) found_.closed.points.push_back(note(done, levels[i]));
    if (auto fine = judge(done, where.stop_requested()); !fine) co_return fine;
    tail = 2 *
           std::chrono::duration_cast<duration>(std::chrono::duration<double, std::micro>{done.latency.percentile(50)});
  }
  co_return result<void>{};
}

task<result<void>> server_measurement::open_loops() {
  const context where = co_await this_context();
  double best = 0;
  for (const rate_point& one : found_.closed.points) best = std::max(best, one.per_second);
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    const auto percent = std::to_string(static_cast<int>(fractions[i] * 100));
    const std::string what = "open loop, " + percent + " % of the best rate";
    if (!in_time(what, best > 0 ? budget_.end() : time_point{}))
      continue;  // without a best rate there is no fraction of it
    enter(what);
    const arrivals coming{.per_second = best * fractions[i]};
    one_call one = call();
    const load_bounds its_part = bounds_until(budget_.end(), fractions.size() - i);
    auto done = co_await open_loop(clock_, std::move(one), coming, its_part);
    if (done.latency.count() > 0) found_.open.points.push_back(note(done, coming.per_second));
    if (auto fine = judge(done, where.stop_requested()); !fine) co_return fine;
  }
  co_return result<void>{};
}

task<result<void>> server_measurement::run() {
  using step = task<result<void>> (server_measurement::*)();
  for (const step next :
       {&server_measurement::start_often, &server_measurement::choose, &server_measurement::first_call,
        &server_measurement::one_after_the_other, &server_measurement::closed_loops, &server_measurement::open_loops}) {
    auto done = co_await (this->*next)();
    if (!done) co_return done;
  }
  co_return result<void>{};
}

}  // namespace hawser::bench
