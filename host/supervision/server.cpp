// SPDX-License-Identifier: MIT
#include "server.hpp"

#include <algorithm>
#include <limits>

#include "../../oauth/scopes.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../../runtime/redaction.hpp"
#include "../../transports/http/http_fields.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/jsonrpc/protocol.hpp"
#include "../detail/argument_check.hpp"

namespace hawser {

namespace {

std::size_t call_slots(std::size_t concurrency) {
  return concurrency == 0 ? std::numeric_limits<std::size_t>::max() : concurrency;
}

}  // namespace

server::server(const server_context& shared_context, server_settings settings, server_id id, channel_maker connect)
    : configured_(shared_context, std::move(settings), id, std::move(connect), [this] { supervisor_.wake_up(); }),
      slot_(configured_),
      rows_(configured_),
      lister_(configured_, slot_, rows_),
      supervisor_(configured_, slot_, rows_, lister_, *this),
      calls_(call_slots(configured_.settings().concurrency)) {}

// A server may echo secrets that it was sent.
negotiated_peer server::redacted_peer() const {
  negotiated_peer shown = slot_.negotiated();
  const redaction& redactions = configured_.redactions();
  // Status is asked for often.
  constexpr std::size_t max_shown = std::size_t{64} * 1024;
  if (shown.capabilities.size() > max_shown) shown.capabilities = "{}";
  if (shown.instructions.size() > max_shown)
    shown.instructions = redactions.apply_truncated(shown.instructions, max_shown) + " …";
  for (std::string* text :
       {&shown.server.name, &shown.server.version, &shown.server.title, &shown.capabilities, &shown.instructions})
    *text = redactions.apply(*text);
  return shown;
}

server_status server::status() const {
  const server_settings& settings = configured_.settings();
  return {.name = settings.name,
          .id = configured_.id(),
          .state = slot_.state(),
          .reason = slot_.reason(),
          .advice = slot_.advice(),
          .phase = slot_.phase(),
          .transport = std::string{configured_.transport()},
          .target = configured_.target(),
          .origin = settings.origin,
          .enabled = settings.enabled,
          .lazy = settings.lazy,
          .negotiated = redacted_peer(),
          .tools = rows_.count(),
          .refused = rows_.refused(),
          .omitted = rows_.omitted(),
          .restarts = supervisor_.restarts(),
          .noise = slot_.noise(),
          .pid = slot_.pid()};
}

task<result<session*>> server::wait_for_session() {
  supervisor_.start_if_idle();
  for (;;) {
    if (slot_.accepts_calls()) co_return slot_.current();
    if (slot_.finished() || !configured_.settings().enabled) break;
    if (slot_.state() == server_state::needs_auth && configured_.login() != nullptr) {
      // Another program may have stored a login, as the advice suggests.
      auto reloaded = co_await configured_.login()->reload();
      if (reloaded && *reloaded && slot_.state() == server_state::needs_auth && restart()) continue;
    }
    if (!slot_.is_session_expected()) break;
    slot_.changed().reset();
    auto waited = co_await slot_.changed().wait();
    if (!waited) co_return annotated(waited.error(), "start");
  }
  if (!configured_.settings().enabled) {
    error disabled{.code = errc::config, .what = "it is disabled; " + configured_.enable_advice()};
    co_return annotated(std::move(disabled), "start");
  }
  co_return annotated(slot_.unavailable_error(), "start");
}

task<result<session*>> server::wait_for_session_with_tools() {
  auto connected = co_await wait_for_session();
  const std::uint64_t failed_before = lister_.failures();
  while (connected && lister_.outdated() && lister_.failures() == failed_before) {
    if (!lister_.is_list_expected()) {  // the previous listing failed
      lister_.on_change();
      supervisor_.wake_up();
    }
    slot_.changed().reset();
    auto waited = co_await slot_.changed().wait();
    if (!waited) co_return annotated(waited.error(), "list");
    connected = co_await wait_for_session();
  }
  co_return connected;
}

task<result<void>> server::wait_for_tools() {
  auto connected = co_await wait_for_session();
  if (!connected) co_return connected.error();
  const error* failure = lister_.start_failure();
  if (failure == nullptr) co_return result<void>{};
  co_return annotated(*failure, "list");
}

result<void> server::admits_call(std::string_view tool) const { return rows_.admits_call(tool, lister_.state()); }

call_options server::options_for(const request_options& request) const {
  const auto own = [](const auto& first, const auto& second) { return first ? first : second; };
  const auto not_negative = [](std::optional<duration> limit) {
    return limit ? std::optional{std::max(*limit, duration::zero())} : limit;
  };
  const server_settings& settings = configured_.settings();
  const std::optional<duration> total = not_negative(own(request.timeout, settings.timeout));
  const std::optional<duration> silence = not_negative(own(request.silence, settings.silence));
  call_options options{.hard_timeout = total.value_or(configured_.limits().hard_timeout)};
  // A caller who sets only one of the two limits sets both.
  options.idle_timeout = silence.value_or(total.value_or(configured_.limits().silence));
  if (!total) options.hard_timeout = std::max(options.hard_timeout, options.idle_timeout);
  if (request.on_progress)
    options.on_progress = [callback = request.on_progress,
                           redactions = configured_.event_loop().redactions()](progress_update update) {
      const std::string message = redactions->apply(update.message);
      update.message = message;
      callback(update);
    };
  return options;
}

// Takes one of the concurrent call slots and waits for a session. Nothing has been sent yet.
task<result<semaphore::permit>> server::acquire_call_slot() {
  auto permit = co_await calls_.acquire();
  if (!permit) co_return permit;
  auto connected = co_await wait_for_session_with_tools();
  if (!connected) co_return connected.error();
  co_return permit;
}

task<result<raw_json>> server::call_tool(tool_reference& target, std::string arguments, call_options options,
                                         time_point began) {
  // Never negative: one of the two times may be the last tick's, the other exact.
  const auto update_elapsed = [&] {
    options.elapsed_before = std::max(duration::zero(), configured_.event_loop().coarse_now() - began);
  };
  update_elapsed();
  const duration longest_wait =
      std::max(duration{1}, std::min(options.idle_timeout, options.hard_timeout - options.elapsed_before));
  auto permit = co_await with_timeout(longest_wait, acquire_call_slot());
  if (!permit) {
    error why = permit.error();
    if (why.code == errc::timed_out)
      why.what = slot_.accepts_calls() && lister_.outdated()
                     ? "its tools have changed and were not listed again within " + format_duration(longest_wait)
                     : "busy or starting for " + format_duration(longest_wait);
    co_return annotated(std::move(why), "call");
  }
  if (auto resolved = rows_.resolve(target, lister_.state()); !resolved) co_return annotated(resolved.error(), "call");
  update_elapsed();
  auto answer = co_await slot_.current()->call_tool(target.tool, arguments, options);
  if (answer) co_return answer;
  // A server that answered 404 for an expired session has executed nothing. The call is retried once, in the next
  // session.
  const bool expired = answer.error().code == errc::closed && answer.error().native == 404;
  if (expired && answer.error().executed == execution::no) {
    update_elapsed();
    const duration rest = std::min(options.idle_timeout, options.hard_timeout - options.elapsed_before);
    auto next = co_await with_timeout(rest, wait_for_session_with_tools());
    if (!next) co_return annotated(next.error(), "call");
    if (auto resolved = rows_.resolve(target, lister_.state()); !resolved)
      co_return annotated(resolved.error(), "call");
    update_elapsed();
    answer = co_await (*next)->call_tool(target.tool, std::move(arguments), std::move(options));
    if (answer) co_return answer;
  }
  const errc code = answer.error().code;
  const bool connection_lost = !slot_.has_process() && (code == errc::io || code == errc::closed);
  if (code == errc::timed_out || connection_lost) supervisor_.check_connection();
  co_return annotated(with_login_error(answer.error()), "call");
}

task<result<void>> server::subscribe(std::string uri) {
  auto connected = co_await wait_for_session();
  if (!connected) co_return connected.error();
  supervisor_.set_subscribed(uri, true);
  auto outcome = co_await (*connected)->subscribe(uri);
  if (outcome) co_return outcome;
  if (outcome.error().code == errc::remote) supervisor_.set_subscribed(uri, false);
  co_return annotated(outcome.error(), "subscribe");
}

task<result<void>> server::unsubscribe(std::string uri) {
  auto connected = co_await wait_for_session();
  if (!connected) co_return connected.error();
  supervisor_.set_subscribed(uri, false);
  auto outcome = co_await (*connected)->unsubscribe(uri);
  if (outcome) co_return outcome;
  co_return annotated(outcome.error(), "subscribe");
}

task<result<void>> server::set_log_level(std::string level) {
  auto connected = co_await wait_for_session();
  if (!connected) co_return connected.error();
  auto outcome = co_await (*connected)->set_log_level(level);
  // A level that failed for a temporary reason is set in the next session.
  if (outcome || outcome.error().code != errc::config) supervisor_.set_log_level(std::move(level));
  if (!outcome) co_return annotated(outcome.error(), "set log level");
  co_return outcome;
}

result<void> server::notify(std::string_view method, std::string_view params) {
  if (auto checked = detail::check_method(method); !checked) return annotated(checked.error(), "notify");
  if (equal_ignoring_case(method, protocol::method::tools_call))
    return annotated({.code = errc::config, .what = "tools/call is a request, and not sent as a notification"},
                     "notify");
  if (!slot_.accepts_calls())
    return annotated({.code = errc::closed, .what = std::string{to_string(slot_.state())}}, "notify");
  return slot_.current()->notify(method, params);
}

// A login that cannot be renewed also ends the session. Calls that fail with the session get the login's error.
error server::with_login_error(error why) {
  const server_login* login = configured_.login();
  if (login == nullptr || !login->is_login_missing()) return why;
  if (why.code == errc::auth) supervisor_.wake_up();
  if (why.code == errc::closed) {
    why.code = errc::auth;
    why.what = login->reason();
    why.native = 0;
  }
  return why;
}

task<result<login_summary>> server::authenticate(login_options options, login_ui& person) {
  server_login* login = configured_.login();
  if (login == nullptr) co_return configured_.no_login_error();
  // The server determines what login it requires, so it is contacted before a browser opens.
  auto connected = co_await wait_for_session();
  if (!connected && connected.error().code != errc::auth) co_return connected.error();
  if (connected && !options.again && !login->needs_login()) {
    const login_summary current = login->summary().value_or(login_summary{});
    if (has_scopes(current.scope, options.scope)) co_return current;
  }
  auto logged_in = co_await login->authenticate(std::move(options), person);
  if (!logged_in) co_return annotated(logged_in.error(), "login");
  if (slot_.accepts_calls()) co_return logged_in;
  if (auto restarted = restart(); !restarted) co_return restarted.error();
  connected = co_await wait_for_session();
  if (!connected) co_return connected.error();
  co_return logged_in;
}

task<result<logout_report>> server::log_out() {
  server_login* login = configured_.login();
  if (login == nullptr) co_return configured_.no_login_error();
  auto logged_out = co_await login->log_out();
  if (!logged_out) co_return annotated(logged_out.error(), "logout");
  if (slot_.accepts_calls()) {
    auto restarted = restart();
    ignore(restarted, "a server that is ready is not disabled");
  }
  co_return logged_out;
}

void server::on_list_changed(list_kind list) {
  if (list == list_kind::tools) {
    lister_.on_change();
    supervisor_.wake_up();
    return;
  }
  configured_.report({.what = list == list_kind::prompts ? host_change::kind::prompts : host_change::kind::resources});
}

void server::on_resource_updated(std::string_view uri) {
  configured_.report({.what = host_change::kind::resource_updated, .text = std::string{uri}});
}

// JSON of a notification as the program gets it. Searching it for secrets takes longer than receiving it.
std::string server::redacted_json_text(std::string_view json) const {
  constexpr std::size_t max_redacted = std::size_t{256} * 1024;
  if (json.size() > max_redacted) return json_string("left out: " + std::to_string(json.size()) + " bytes");
  return configured_.redacted(json);
}

void server::on_log_message(std::string_view level, std::string_view data) {
  if (configured_.shared().on_change)
    configured_.report(
        {.what = host_change::kind::log_message, .level = std::string{level}, .text = redacted_json_text(data)});
}

void server::on_other_notification(std::string_view method, std::string_view params) {
  if (configured_.shared().on_change)
    configured_.report(
        {.what = host_change::kind::notification, .level = std::string{method}, .text = redacted_json_text(params)});
}

result<void> server::on_tools_relisted(std::string_view tool, const tool_listing& listing) {
  lister_.accept(listing);
  return admits_call(tool);
}

task<result<void>> server::admits_retry(std::string tool) {
  auto connected = co_await wait_for_session_with_tools();
  if (!connected) co_return connected.error();
  co_return admits_call(tool);
}

}  // namespace hawser
