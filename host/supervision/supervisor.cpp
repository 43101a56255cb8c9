// SPDX-License-Identifier: MIT
#include "supervisor.hpp"

#include <algorithm>
#include <cerrno>

#include "../../runtime/async/detail/wait_for.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../../runtime/async/when.hpp"
#include "../../runtime/crypto.hpp"
#include "../../transports/jsonrpc/protocol.hpp"

namespace hawser {

namespace {

// A start that takes longer releases its slot, so that hanging servers do not delay others.
constexpr duration longest_slot = std::chrono::milliseconds{300};
constexpr duration longest_write = std::chrono::seconds{2};
constexpr duration longest_silence = std::chrono::seconds{30};
// Upper bound on Retry-After.
constexpr duration longest_retry_after = std::chrono::hours{1};
constexpr duration last_refusals = std::chrono::milliseconds{50};

// Releases a permit after longest_slot at the latest.
class slot_holder final : private timer {
 public:
  slot_holder(loop& event_loop, semaphore::permit permit) : permit_(std::move(permit)) {
    event_loop.start(*this, longest_slot);
  }
  slot_holder(const slot_holder&) = delete;
  slot_holder& operator=(const slot_holder&) = delete;
  ~slot_holder() { timer::cancel(); }

 private:
  void on_expired() noexcept override { permit_.release(); }
  semaphore::permit permit_;
};

double random_part() { return static_cast<unsigned char>(random_bytes(1).front()) / 256.0; }

bool would_repeat(const error& why) {
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

supervisor::supervisor(const configured_server& server, session_slot& slot, tool_rows& rows, tool_lister& lister,
                       session_listener& listener)
    : server_(server),
      slot_(slot),
      rows_(rows),
      lister_(lister),
      listener_(listener),
      backoff_(server.settings().restarts) {}

task<void> supervisor::run() {
  const server_settings& settings = server_.settings();
  co_await load_cache();
  if (!settings.enabled) slot_.set_state(server_state::stopped, "disabled", server_.enable_advice());
  for (;;) {
    const context here = co_await this_context();
    if (here.stop_requested()) break;
    if (!settings.enabled || request_ == start_request::none) {
      if (settings.enabled) slot_.set_state(server_state::stopped, "starts when it is needed");
      co_await wait_until(std::nullopt);
      continue;
    }
    request_ = start_request::needed;
    restart_now_.reset();
    const session_end end = co_await serve_once();
    if (here.stop_requested()) break;
    if (restart_requested()) {
      backoff_.forget();
      continue;
    }
    // After an expired session (404) a new one is started at once. A server that expires sessions repeatedly counts as
    // failing.
    if (end.expired) {
      const time_point previous = std::exchange(last_expired_, here.loop->now()).value_or(time_point::min());
      if (previous < here.loop->now() - longest_silence) continue;
    }
    const restart_decision decision = decide_restart(end.why);
    std::optional<time_point> due;
    if (!decision.given_up) due = here.loop->now() + decision.pause;
    while (!restart_requested() && !here.stop_requested() && (!due || here.loop->now() < *due))
      co_await wait_until(due);
    if (restart_requested()) backoff_.forget();
  }
  rows_.remove();
  if (server_.login() != nullptr) co_await server_.login()->close();
  slot_.finish();
}

result<void> supervisor::restart() {
  if (!server_.settings().enabled)
    return error{.code = errc::config,
                 .what = "server \"" + server_.name() + "\" is disabled; " + server_.enable_advice(),
                 .server = server_.name()};
  if (slot_.finished())
    return error{.code = errc::closed, .what = "server \"" + server_.name() + "\" was removed or stopped"};
  request_ = start_request::restart;
  restart_now_.set();
  if (!slot_.accepts_calls()) slot_.set_state(server_state::starting);  // callers wait from now on
  wake_.set();
  return {};
}

void supervisor::start_if_idle() {
  if (!server_.settings().enabled || request_ != start_request::none) return;
  request_ = start_request::needed;
  slot_.set_state(server_state::starting);
  wake_.set();
}

void supervisor::start_if_unlisted() {
  if (cache_loaded_ && rows_.count() == 0) start_if_idle();
}

void supervisor::check_connection() noexcept {
  needs_ping_ = true;
  wake_.set();
}

void supervisor::on_session_closed(const error& why) {
  slot_.on_session_closed(why);
  const session* closed = slot_.current();
  if (closed != nullptr && closed->expired())
    slot_.set_state(server_state::starting, why.what);  // calls wait for the next session
  wake_.set();
}

void supervisor::set_subscribed(const std::string& uri, bool subscribed) {
  if (subscribed) {
    subscriptions_.insert(uri);
  } else {
    subscriptions_.erase(uri);
  }
}

// The state and the pause after an end that nobody asked for.
supervisor::restart_decision supervisor::decide_restart(const error& why) {
  const std::string logs = server_.logs_advice();
  const server_login* login = server_.login();
  // A token refresh that fails for the moment is a temporary failure.
  const bool temporary = login != nullptr && !login->needs_login() && why.native == 0;
  if (why.code == errc::auth && !temporary) {
    slot_.set_state(server_state::needs_auth, why.what,
                    login != nullptr ? login_advice(server_.name()) : server_.correction_advice(why));
    return {.given_up = true};
  }
  if (would_repeat(why)) {
    slot_.set_state(server_state::failed, why.what, server_.correction_advice(why));
    return {.given_up = true};
  }
  if (server_.settings().restart == restart_policy::never) {
    slot_.set_state(server_state::failed, why.what, logs);
    return {.given_up = true};
  }
  auto pause = backoff_.ended(server_.event_loop().now(), random_part());
  if (!pause) {
    slot_.set_state(server_state::failed, "it keeps ending: " + why.what,
                    (logs.empty() ? "" : logs + ", then ") + "restart it");
    return {.given_up = true};
  }
  if (why.retry_after) pause = std::max<duration>(*pause, std::min<duration>(*why.retry_after, longest_retry_after));
  slot_.set_state(server_state::degraded, why.what, "it is started again in " + format_duration(*pause));
  return {.pause = *pause};
}

// Reports the delay to callers waiting for the start. Later requests have callers that wait for an answer anyway.
void supervisor::on_busy(std::string_view method, int status, duration pause) {
  if (slot_.state() != server_state::starting) return;
  std::string why = std::string{status == 429 ? "too many requests" : "the service is unavailable"} +
                    ": the server answered with status " + std::to_string(status) + "; " + std::string{method} +
                    " is sent again in " + format_duration(pause);
  slot_.set_state(server_state::starting, why);
  server_.report({.what = host_change::kind::delayed, .text = std::move(why)});
}

task<result<void>> supervisor::wait_for_wake() { co_return co_await wake_.wait(); }

task<result<void>> supervisor::wait_for_restart_request() { co_return co_await restart_now_.wait(); }

// A restart request must not wait for a hanging operation to time out.
task<result<void>> supervisor::unless_restarted(task<result<void>> inner) {
  auto first = co_await when_any(std::move(inner), wait_for_restart_request());
  co_return std::move(std::get<0>(first.values));
}

task<result<void>> supervisor::ping_in_time() {
  co_return co_await with_timeout(longest_silence, slot_.current()->ping());
}

// Waits for an event or the deadline. Removes the rows of an ended server when they expire.
task<void> supervisor::wait_until(std::optional<time_point> due) {
  const context here = co_await this_context();
  std::optional<time_point> next = due;
  if (rows_.expiry()) next = next ? std::min(*next, *rows_.expiry()) : *rows_.expiry();
  wake_.reset();
  const bool start_due =
      request_ != start_request::none && slot_.state() == server_state::starting && slot_.current() == nullptr;
  if (restart_requested() || start_due) co_return;
  if (next) {
    const duration length = std::max(duration::zero(), *next - here.loop->now());
    auto first = co_await when_any(wait_for_wake(), detail::wait_for(length));
    ignore(std::get<0>(first.values), "the caller checks what has changed");
  } else {
    auto woken = co_await wait_for_wake();
    ignore(woken, "the caller checks what has changed");
  }
  if (rows_.expiry() && here.loop->now() >= *rows_.expiry()) rows_.remove();
}

task<void> supervisor::load_cache() {
  const server_settings& settings = server_.settings();
  auto loaded = co_await server_.shared().cache.load(settings, server_.limits().max_tools);
  cache_loaded_ = true;
  if (!loaded && loaded.error().code == errc::config)
    server_.log(log_level::warning, loaded.error().what + "; it is not used");
  if (loaded && *loaded) {
    const cached_server& cached = **loaded;
    era_.restore(cached);
    slot_.set_revision(cached.revision);
    if (settings.lazy && settings.enabled && cached.tools) rows_.publish(cached.tools);
  }
  if (!settings.lazy && request_ == start_request::none) request_ = start_request::needed;
  slot_.changed().set();
}

// For the next start. Not given up by a stop: a command that ends at once would never remember anything.
task<void> supervisor::save_cache() {
  cached_server cached{
      .revision = slot_.negotiated().revision, .last_probed = era_.last_probed(), .tools = lister_.take_unsaved()};
  // A server that repeats a configured secret in its tools must not bring it onto the disk. Without an entry, the tools
  // count as never listed, so a call by name starts the server.
  const bool has_secret = cached.tools && std::ranges::any_of(cached.tools->tools(), [&](const tool& listed) {
                            return server_.redactions().matches(listed.json);
                          });
  if (has_secret) co_return;
  auto stored = co_await shield(longest_write, server_.shared().cache.store(server_.settings(), std::move(cached)));
  if (!stored) server_.log(log_level::warning, stored.error().what);
}

task<supervisor::session_end> supervisor::serve_once() {
  loop& event_loop = server_.event_loop();
  const duration keep_rows = server_.shared().settings.keep_rows;
  {
    slot_.set_state(server_state::starting);
    lister_.on_start();
    auto permit = co_await server_.shared().starts.acquire();
    if (!permit) co_return session_end{permit.error()};
    const slot_holder start_slot{event_loop, *std::move(permit)};
    backoff_.started(event_loop.now());
    start_deadline_ = event_loop.now() + server_.settings().startup_timeout;
    ++starts_;
    auto started = co_await unless_restarted(start());
    if (!started) {
      co_await slot_.close();
      if (!rows_.expiry()) rows_.set_expiry(event_loop.now() + keep_rows);
      rows_.set_unavailable();
      slot_.set_ended(started.error());
      co_return session_end{started.error()};
    }
  }
  slot_.keep_negotiated();
  era_.on_negotiated(slot_.current()->era_evidence(), slot_.negotiated().modern(), server_cache::now());
  auto served = co_await make_ready();
  if (served) served = co_await watch_session();
  const bool expired = slot_.current()->expired();
  co_await slot_.close();
  session_end end{served.error(), expired};
  slot_.set_ended(end.why);  // not the error of the close that followed
  const context here = co_await this_context();
  if (here.stop_requested()) co_return end;  // the rows are removed at once
  rows_.set_expiry(event_loop.now() + keep_rows);
  rows_.set_unavailable();
  co_return end;
}

// Opens a session and negotiates the revision. A wrong era assumption is corrected once.
task<result<void>> supervisor::start() {
  const protocol_choice::kind configured = server_.settings().protocol.era;
  const session::open_mode mode = era_.open_mode(configured, server_cache::now());
  auto opened = co_await open_session(mode);
  if (opened || configured != protocol_choice::kind::automatic) co_return opened;
  const session* failed = slot_.current();
  const bool exited = mode == session::open_mode::probe && failed != nullptr && failed->exited_on_probe();
  const bool refused = mode == session::open_mode::legacy && opened.error().code == errc::remote &&
                       opened.error().native == protocol::code::unsupported_version;
  const context here = co_await this_context();
  if ((!exited && !refused) || here.stop_requested()) co_return opened;
  co_await slot_.close();
  if (exited) {
    era_.on_exit_at_probe(server_cache::now());
  } else {
    era_.on_handshake_refused();
  }
  co_return co_await open_session(era_.open_mode(configured, server_cache::now()));
}

task<result<void>> supervisor::open_session(session::open_mode mode) {
  http_channel_factory::busy_listener busy = [this](std::string_view method, int status, duration pause) {
    on_busy(method, status, pause);
  };
  auto made = co_await make_server_channel(server_, std::move(busy));
  if (!made) co_return made.error();
  co_return co_await slot_.open(*std::move(made), listener_, mode, start_deadline_);
}

// Lists the tools, restores subscriptions and log level, and makes the server ready for calls.
task<result<void>> supervisor::make_ready() {
  auto listed = co_await unless_restarted(list_in_time());
  if (slot_.current()->is_closed()) co_return *slot_.ended();
  if (restart_requested()) co_return error{.code = errc::closed, .what = "restarted"};
  const bool too_late = !listed && listed.error().code == errc::timed_out && listed.error().phase == "start";
  if (!listed && (listed.error().code == errc::auth || too_late)) co_return listed.error();
  slot_.accept_calls();
  rows_.set_available();
  if (listed) {
    slot_.set_state(server_state::ready);
  } else {
    lister_.set_start_failure(listed.error());
    slot_.set_state(server_state::degraded, listed.error().what,
                    "its tools could not be listed; restart it to try again");
  }
  const std::vector<std::string> uris{subscriptions_.begin(), subscriptions_.end()};  // which may change meanwhile
  for (const std::string& uri : uris) {
    if (!subscriptions_.contains(uri)) continue;
    auto restored = co_await slot_.current()->subscribe(uri);
    ignore(restored, "a removed resource has no updates");
  }
  if (!log_level_.empty()) {
    auto restored = co_await slot_.current()->set_log_level(log_level_);
    ignore(restored, "log messages are not needed for calls");
  }
  co_return result<void>{};
}

// Returns only errors: why the session is to be closed.
task<result<void>> supervisor::watch_session() {
  loop& event_loop = server_.event_loop();
  server_login* login = server_.login();
  for (;;) {
    const context here = co_await this_context();
    if (here.stop_requested()) co_return cancelled_error();
    if (slot_.current()->is_closed())
      co_return slot_.ended().value_or(error{.code = errc::closed, .what = "the session ended"});
    if (restart_requested()) co_return error{.code = errc::closed, .what = "restarted"};
    if (login != nullptr && login->is_login_missing()) {
      // Let calls that were refused with 401 complete with their own error, which says that nothing was executed.
      auto waited = co_await detail::wait_for(last_refusals);
      ignore(waited, "a stop ends the session, too");
      if (login->is_login_missing()) co_return error{.code = errc::auth, .what = login->reason()};
      continue;
    }
    if (lister_.has_unsaved()) {
      co_await save_cache();
      continue;  // the head of the loop checks what has changed meanwhile
    }
    wake_.reset();
    if (std::exchange(needs_ping_, false)) {
      auto alive = co_await unless_restarted(ping_in_time());
      const bool remote = !alive && !slot_.has_process() && alive.error().code != errc::remote;
      if (remote && !here.stop_requested() && !restart_requested()) {
        error why = alive.error();
        // A token that has just been refreshed may be refused for a moment. The next start decides whether the login
        // has ended.
        if (why.code == errc::auth && login != nullptr && !login->needs_login() && login->has_renewable_login())
          why.code = errc::closed;
        co_return why;
      }
      if (!alive && alive.error().code == errc::timed_out)
        co_return error{.code = errc::timed_out, .what = "it does not answer any more"};
      continue;
    }
    const std::optional<time_point> due = lister_.due();
    if (!due) {
      slot_.current()->trim();
      auto woken = co_await wake_.wait();
      ignore(woken, "the head of the loop checks for a stop");
      continue;
    }
    if (event_loop.now() < *due) {
      auto first = co_await when_any(wait_for_wake(), detail::wait_for(*due - event_loop.now()));
      ignore(std::get<0>(first.values), "the head of the loop checks what has changed");
      continue;
    }
    auto listed = co_await unless_restarted(lister_.list());
    if (listed && slot_.state() == server_state::degraded) slot_.set_state(server_state::ready);
    if (!listed) server_.log(log_level::warning, listed.error().what);
  }
}

// The first listing is part of the start: callers wait for both.
task<result<void>> supervisor::list_in_time() {
  loop& event_loop = server_.event_loop();
  const duration left = std::max(duration::zero(), start_deadline_ - event_loop.now());
  auto listed = co_await with_timeout(left, lister_.list());
  if (listed || listed.error().code != errc::timed_out || event_loop.now() < start_deadline_) co_return listed;
  co_return error{.code = errc::timed_out,
                  .what = "its tools were not listed within " + format_duration(server_.settings().startup_timeout) +
                          " of its start; set a longer \"startup_timeout\" if it needs more",
                  .phase = "start"};
}

}  // namespace hawser
