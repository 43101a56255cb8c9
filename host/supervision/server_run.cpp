// SPDX-License-Identifier: MIT
// The supervision loop: starts a server, negotiates, lists its tools, watches it, and restarts it.
#include <algorithm>
#include <cerrno>

#include "../../runtime/async/detail/wait_for.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../../runtime/async/when.hpp"
#include "../../runtime/crypto.hpp"
#include "../../transports/jsonrpc/protocol.hpp"
#include "server.hpp"

namespace hawser {

namespace {

// A start that takes longer releases its slot, so that hanging servers do not delay others.
constexpr duration longest_slot = std::chrono::milliseconds{300};
constexpr duration longest_write = std::chrono::seconds{2};
constexpr duration longest_silence = std::chrono::seconds{30};
// Upper bound on Retry-After.
constexpr duration longest_retry_after = std::chrono::hours{1};
constexpr duration last_refusals = std::chrono::milliseconds{50};
// A list that keeps changing is read after this many delays.
constexpr int longest_delays = 10;

// Releases a permit after longest_slot at the latest.
class slot_holder final : private timer {
 public:
  slot_holder(loop& home, semaphore::permit place) : place_(std::move(place)) { home.start(*this, longest_slot); }
  slot_holder(const slot_holder&) = delete;
  slot_holder& operator=(const slot_holder&) = delete;
  ~slot_holder() { timer::cancel(); }

 private:
  void on_expired() noexcept override { place_.release(); }
  semaphore::permit place_;
};

double random_part() { return static_cast<unsigned char>(random_bytes(1).front()) / 256.0; }

// Whether the next start would fail in the same way.
bool has_renewable_login(const error& why) {
  if (why.code == errc::config) return true;
  if (why.code != errc::spawn) return false;
  switch (why.native) {
    case EAGAIN:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
    case ETXTBSY:
    case 0: return false;
    default: return true;
  }
}

}  // namespace

task<void> server::run() {
  co_await load_cache();
  if (!settings_.enabled) set_state(server_state::stopped, "disabled", enable_advice());
  for (;;) {
    const context where = co_await this_context();
    if (where.stop_requested()) break;
    if (!settings_.enabled || !needed_) {
      if (settings_.enabled) set_state(server_state::stopped, "starts when it is needed");
      co_await wait_until(std::nullopt);
      continue;
    }
    restart_ = false;
    restart_now_.reset();
    auto served = co_await serve_once();
    if (where.stop_requested()) break;
    if (restart_) {
      backoff_.forget();
      continue;
    }
    // After an expired session (404) a new one is started at once. A server that expires sessions repeatedly counts as
    // failing.
    if (std::exchange(session_expired_, false)) {
      const time_point then = std::exchange(last_expired_, where.loop->now()).value_or(time_point::min());
      if (then < where.loop->now() - longest_silence) continue;
    }
    const restart_decision now = decide_restart(served.error());
    std::optional<time_point> due;
    if (!now.given_up) due = where.loop->now() + now.pause;
    while (!restart_ && !where.stop_requested() && (!due || where.loop->now() < *due)) co_await wait_until(due);
    if (restart_) backoff_.forget();
  }
  drop_rows();
  if (login_) co_await login_->close();
  finished_ = true;
  set_state(server_state::stopped, "stopped");
}

void server::end_unstarted() {
  finished_ = true;
  set_state(server_state::stopped, "stopped");
  changed_.set();
}

// The state and the pause after an end that nobody asked for.
server::restart_decision server::decide_restart(const error& why) {
  const bool has_logs = !connect_ && std::holds_alternative<stdio_settings>(settings_.transport);
  const std::string logs = has_logs ? "see `hawser logs " + settings_.name + '`' : std::string{};
  // A token refresh that fails for the moment is a temporary failure.
  const bool passing = login_ && !login_->needs_login() && why.native == 0;
  if (why.code == errc::auth && !passing) {
    set_state(server_state::needs_auth, why.what, login_ ? login_advice(settings_.name) : correction_advice(why));
    return {.given_up = true};
  }
  if (has_renewable_login(why)) {
    set_state(server_state::failed, why.what, correction_advice(why));
    return {.given_up = true};
  }
  if (settings_.restart == restart_policy::never) {
    set_state(server_state::failed, why.what, logs);
    return {.given_up = true};
  }
  auto pause = backoff_.ended(context_.session.home.now(), random_part());
  if (!pause) {
    set_state(server_state::failed, "it keeps ending: " + why.what, (has_logs ? logs + ", then " : "") + "restart it");
    return {.given_up = true};
  }
  if (why.retry_after) pause = std::max<duration>(*pause, std::min<duration>(*why.retry_after, longest_retry_after));
  set_state(server_state::degraded, why.what, "it is started again in " + format_duration(*pause));
  return {.pause = *pause};
}

task<result<void>> server::wait_for_wake() { co_return co_await wake_.wait(); }

task<result<void>> server::wait_for_restart_request() { co_return co_await restart_now_.wait(); }

// A restart request must not wait for a hanging operation to time out.
task<result<void>> server::unless_restarted(task<result<void>> inner) {
  auto first = co_await when_any(std::move(inner), wait_for_restart_request());
  co_return std::move(std::get<0>(first.values));
}

task<result<void>> server::ping_in_time() { co_return co_await with_timeout(longest_silence, session_->ping()); }

// Waits for an event or the deadline. Removes the rows of an ended server when rows_until_ has passed.
task<void> server::wait_until(std::optional<time_point> due) {
  const context where = co_await this_context();
  std::optional<time_point> next = due;
  if (rows_until_) next = next ? std::min(*next, *rows_until_) : *rows_until_;
  wake_.reset();
  if (restart_ || (needed_ && state_ == server_state::starting && !session_)) co_return;
  if (next) {
    const duration length = std::max(duration::zero(), *next - where.loop->now());
    auto first = co_await when_any(wait_for_wake(), detail::wait_for(length));
    ignore(std::get<0>(first.values), "the caller looks what is the matter");
  } else {
    auto woken = co_await wait_for_wake();
    ignore(woken, "the caller looks what is the matter");
  }
  if (rows_until_ && where.loop->now() >= *rows_until_) drop_rows();
}

task<void> server::load_cache() {
  auto recalled = co_await context_.cache.load(settings_, context_.settings.limits.max_tools);
  cache_loaded_ = true;
  if (!recalled && recalled.error().code == errc::config)
    context_.session.home.log().write(log_level::warning, settings_.name, recalled.error().what + "; it is not used");
  if (recalled && *recalled) {
    const cached_server& known = **recalled;
    last_probed_ = known.last_probed;
    if (!known.revision.empty() && !protocol::modern(known.revision)) legacy_since_ = known.last_probed;
    negotiated_.revision = known.revision;
    if (settings_.lazy && settings_.enabled && known.tools) publish(known.tools, skipped_tools{});
  }
  if (!settings_.lazy) needed_ = true;
  changed_.set();
}

task<result<void>> server::serve_once() {
  {
    set_state(server_state::starting);
    listed_ = false;
    auto place = co_await context_.starts.acquire();
    if (!place) co_return place.error();
    const slot_holder in_time{context_.session.home, *std::move(place)};
    backoff_.started(context_.session.home.now());
    start_due_ = context_.session.home.now() + settings_.startup_timeout;
    ++starts_;
    auto started = co_await unless_restarted(start());
    if (!started) {
      co_await end_session();
      if (rows_ > 0 && !rows_until_) rows_until_ = context_.session.home.now() + context_.settings.keep_rows;
      set_availability(availability::unavailable);
      ended_ = started.error();
      co_return started;
    }
  }
  negotiated_ = session_->negotiated();
  note_era();
  auto served = co_await make_ready();
  if (served) served = co_await watch_session();
  session_expired_ = session_->expired();
  co_await end_session();
  if (!served) ended_ = served.error();  // not the error of the close that followed
  const context where = co_await this_context();
  if (where.stop_requested()) co_return served;  // the rows are removed at once
  if (rows_ > 0) rows_until_ = context_.session.home.now() + context_.settings.keep_rows;
  set_availability(availability::unavailable);
  co_return served;
}

// Lists the tools, restores subscriptions and log level, and makes the server ready for calls.
task<result<void>> server::make_ready() {
  auto listed = co_await unless_restarted(list_in_time());
  if (session_->is_closed()) co_return *ended_;
  if (restart_) co_return error{.code = errc::closed, .what = "restarted"};
  const bool too_late = !listed && listed.error().code == errc::timed_out && listed.error().phase == "start";
  if (!listed && (listed.error().code == errc::auth || too_late)) co_return listed.error();
  rows_until_.reset();
  accepts_ = true;
  set_availability(availability::available);
  if (listed) {
    set_state(server_state::ready);
  } else {
    list_failure_ = listed.error();
    set_state(server_state::degraded, listed.error().what, "its tools could not be listed; restart it to try again");
  }
  const std::vector<std::string> wanted{subscriptions_.begin(), subscriptions_.end()};  // which may change meanwhile
  for (const std::string& uri : wanted) {
    if (!subscriptions_.contains(uri)) continue;
    auto renewed = co_await session_->subscribe(uri);
    ignore(renewed, "a resource that is gone is not heard of");
  }
  if (!log_level_.empty()) {
    auto renewed = co_await session_->set_log_level(log_level_);
    ignore(renewed, "its messages are a convenience");
  }
  co_return result<void>{};
}

task<result<void>> server::watch_session() {
  loop& home = context_.session.home;
  for (;;) {
    const context where = co_await this_context();
    if (where.stop_requested()) co_return cancelled_error();
    if (session_->is_closed()) co_return ended_.value_or(error{.code = errc::closed, .what = "the session ended"});
    if (restart_) co_return error{.code = errc::closed, .what = "restarted"};
    if (login_ && login_->is_login_missing()) {
      // Let calls that were refused with 401 complete with their own error, which says that nothing was executed.
      auto waited = co_await detail::wait_for(last_refusals);
      ignore(waited, "a stop ends the session, too");
      if (login_->is_login_missing()) co_return error{.code = errc::auth, .what = login_->reason()};
      continue;
    }
    if (tools_to_cache_) {
      co_await save_cache();
      continue;  // whatever happened meanwhile is seen at the head of the loop
    }
    wake_.reset();
    if (std::exchange(needs_ping_, false)) {
      auto alive = co_await unless_restarted(ping_in_time());
      const bool remote = !alive && process_ == nullptr && alive.error().code != errc::remote;
      if (remote && !where.stop_requested() && !restart_) {
        error why = alive.error();
        // A token that has just been refreshed may be refused for a moment. The next start decides whether the login
        // has ended.
        if (why.code == errc::auth && login_ && !login_->needs_login() && login_->has_renewable_login())
          why.code = errc::closed;
        co_return why;
      }
      if (!alive && alive.error().code == errc::timed_out)
        co_return error{.code = errc::timed_out, .what = "it does not answer any more"};
      continue;
    }
    if (!changed_first_) {
      session_->trim();
      auto woken = co_await wake_.wait();
      ignore(woken, "a stop is seen at the head of the loop");
      continue;
    }
    // Changes come in bursts: the list is read after a quiet period, or when the burst has lasted too long.
    const duration delay = context_.settings.list_changed_delay;
    const time_point due = std::min(changed_last_ + delay, *changed_first_ + longest_delays * delay);
    if (home.now() < due) {
      auto first = co_await when_any(wait_for_wake(), detail::wait_for(due - home.now()));
      ignore(std::get<0>(first.values), "the head of the loop looks again");
      continue;
    }
    auto listed = co_await unless_restarted(relist());
    if (listed && state_ == server_state::degraded) set_state(server_state::ready);
    if (!listed) home.log().write(log_level::warning, settings_.name, listed.error().what);
  }
}

// The first listing is part of the start: callers wait for both.
task<result<void>> server::list_in_time() {
  loop& home = context_.session.home;
  const duration left = std::max(duration::zero(), start_due_ - home.now());
  auto listed = co_await with_timeout(left, relist());
  if (listed || listed.error().code != errc::timed_out || home.now() < start_due_) co_return listed;
  co_return error{.code = errc::timed_out,
                  .what = "its tools were not listed within " + format_duration(settings_.startup_timeout) +
                          " of its start; set a longer \"startup_timeout\" if it needs more",
                  .phase = "start"};
}

// If listing fails, the old list stays published. Sets changed_ in both cases, for wait_for_session_with_tools().
task<result<void>> server::relist() {
  changed_first_.reset();
  listing_ = true;
  auto listed = co_await list_now();
  listing_ = false;
  if (!listed) ++failed_listings_;
  changed_.set();
  co_return listed;
}

task<result<void>> server::list_now() {
  if (!negotiated_.can.tools) {
    publish(std::make_shared<tool_list>(), skipped_tools{});
    listed_ = true;
    listed_changes_ = session_->tool_changes();
    co_return result<void>{};
  }
  auto listing = co_await session_->list_tools();
  if (!listing) co_return listing.error();
  take_listing(*listing);
  co_return result<void>{};
}

void server::take_listing(const tool_listing& listing) {
  skipped_tools unusable{.count = listing.skipped_count};
  for (const skipped_tool& one : listing.skipped)
    unusable.described.push_back({.tool = one.name, .what = "tool \"" + one.name + "\": " + one.why});
  publish(listing.tools, std::move(unusable));
  listed_ = true;
  listed_changes_ = listing.changes;
  tools_to_cache_ = listing.tools;
}

result<void> server::on_tools_relisted(std::string_view tool, const tool_listing& listing) {
  take_listing(listing);
  return admits_call(tool);
}

task<result<void>> server::admits_retry(std::string tool) {
  auto at = co_await wait_for_session_with_tools();
  if (!at) co_return at.error();
  co_return admits_call(tool);
}

// For the next start. Not given up by a stop: a command that ends at once would never remember anything.
task<void> server::save_cache() {
  cached_server now{
      .revision = negotiated_.revision, .last_probed = last_probed_, .tools = std::exchange(tools_to_cache_, nullptr)};
  auto kept = co_await shield(longest_write, context_.cache.store(settings_, std::move(now)));
  if (!kept) context_.session.home.log().write(log_level::warning, settings_.name, kept.error().what);
}

}  // namespace hawser
