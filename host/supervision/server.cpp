// SPDX-License-Identifier: MIT
// A server's public interface: its state, its calls, its rows in the registry. Supervision is in server_run.cpp.
#include "server.hpp"

#include <algorithm>
#include <limits>

#include "../../oauth/display_text.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../../runtime/redaction.hpp"
#include "../../transports/http/http_fields.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/jsonrpc/protocol.hpp"
#include "../../transports/redacted_json.hpp"
#include "../config/secrets.hpp"
#include "../detail/argument_check.hpp"

namespace hawser {

namespace {

constexpr std::size_t max_omitted = 100;

std::string target_of(const server_settings& settings) {
  if (const auto* remote = std::get_if<http_settings>(&settings.transport)) return url_without_query(remote->url);
  const auto& child = std::get<stdio_settings>(settings.transport);
  std::string words = child.command;
  for (const std::string& argument : child.args) words += ' ' + argument;
  return words;
}

std::size_t places(std::size_t concurrency) {
  return concurrency == 0 ? std::numeric_limits<std::size_t>::max() : concurrency;
}

bool has_authorization(const http_settings& remote) {
  return std::any_of(remote.headers.begin(), remote.headers.end(),
                     [](const auto& one) { return equal_ignoring_case(one.first, "Authorization"); });
}

std::unique_ptr<server_login> login_for(const server_context& shared_context, const server_settings& settings,
                                        std::function<void()> on_login_needed) {
  const auto* remote = std::get_if<http_settings>(&settings.transport);
  if (remote == nullptr || !remote->oauth.enabled || has_authorization(*remote)) return nullptr;
  // Shared, because the coroutine of client_options keeps a reference to it.
  const auto where = std::make_shared<const http_settings>(*remote);
  server_login_options of{
      .name = settings.name,
      .url = remote->url,
      .settings = remote->oauth,
      .connection = [&channels = shared_context.channels, where] { return channels.login_client_options(*where); },
      .on_login_needed = std::move(on_login_needed)};
  if (!remote->tls.certificate_file.empty())
    of.server_connection = [&channels = shared_context.channels, where] {
      return channels.client_options(*where, true);
    };
  return std::make_unique<server_login>(shared_context.logins, std::move(of));
}

}  // namespace

server::server(const server_context& shared_context, server_settings settings, server_id id, channel_maker connect)
    : context_(shared_context),
      settings_(std::move(settings)),
      id_(id),
      connect_(std::move(connect)),
      calls_(places(settings_.concurrency)),
      backoff_(settings_.restarts) {
  // load_config rejects bad patterns. With settings built by hand, a bad pattern admits every tool.
  if (auto filter = tool_filter::parse(settings_.tools)) filter_ = *std::move(filter);
  filter_.access = settings_.access;
  if (!connect_) login_ = login_for(context_, settings_, [this] { wake_.set(); });
  hide_secrets(settings_, *context_.session.home.redactions());
}

// A server may echo secrets that it was sent.
negotiated_peer server::redacted_peer() const {
  negotiated_peer shown = negotiated_;
  const redaction& hidden = *context_.session.home.redactions();
  // Status is asked for often.
  constexpr std::size_t max_shown = std::size_t{64} * 1024;
  if (shown.capabilities.size() > max_shown) shown.capabilities = "{}";
  if (shown.instructions.size() > max_shown)
    shown.instructions = hidden.apply_truncated(shown.instructions, max_shown) + " …";
  for (std::string* text :
       {&shown.server.name, &shown.server.version, &shown.server.title, &shown.capabilities, &shown.instructions})
    *text = hidden.apply(*text);
  return shown;
}

server_status server::status() const {
  return {.name = settings_.name,
          .id = id_,
          .state = state_,
          .reason = reason_,
          .advice = advice_,
          .phase = phase(),
          .transport = connect_                                                      ? "embedded"
                       : std::holds_alternative<stdio_settings>(settings_.transport) ? "stdio"
                                                                                     : "http",
          .target = connect_ ? std::string{} : context_.session.home.redactions()->apply(target_of(settings_)),
          .origin = settings_.origin,
          .enabled = settings_.enabled,
          .lazy = settings_.lazy,
          .negotiated = redacted_peer(),
          .tools = rows_,
          .refused = refused_,
          .omitted = omitted_,
          .restarts = starts_ > 0 ? starts_ - 1 : 0,
          .noise = process_ != nullptr ? process_->reader().noise() : last_noise_,
          .pid = process_ != nullptr ? process_->pid() : 0};
}

std::string server::stderr_tail() const {
  std::string_view tail = process_ != nullptr ? process_->stderr_tail() : std::string_view{last_errors_};
  // A truncated tail may start with the end of a secret, which the redaction cannot match. So its first line is
  // dropped, unless it is the only one.
  const std::size_t first = tail.find('\n');
  if (tail.size() >= stdio_channel_options{}.max_kept_stderr && first + 1 < tail.size()) tail.remove_prefix(first + 1);
  return context_.session.home.redactions()->apply(tail);
}

std::string server::phase() const {
  if (state_ != server_state::starting) return {};
  if (!session_) return "turn";
  return std::string{session_->phase().empty() ? protocol::method::tools_list : session_->phase()};
}

std::string server::origin_text() const {
  return settings_.origin.empty() ? "its configuration" : "its configuration (" + settings_.origin + ')';
}

std::string server::enable_advice() const {
  return R"(to enable it, remove "disabled": true or "enabled": false from )" + origin_text();
}

// For errors that the next start would repeat.
std::string server::correction_advice(const error& why) const {
  std::string keys;
  const auto* child = std::get_if<stdio_settings>(&settings_.transport);
  if (why.code == errc::spawn && child != nullptr)
    keys = child->cwd.empty() ? R"("command" in )" : R"("command" or "cwd" in )";
  const auto* remote = std::get_if<http_settings>(&settings_.transport);
  if (why.code == errc::auth && remote != nullptr) {
    if (remote->headers.empty()) return R"(put its credentials under "headers" in )" + origin_text();
    keys = R"("headers" in )";
  }
  return "correct " + keys + origin_text() + (settings_.restart == restart_policy::never ? "" : ", then restart it");
}

void server::set_state(server_state state, std::string reason, std::string advice) {
  reason = context_.session.home.redactions()->apply(reason);
  const bool news = state != state_ || reason != reason_;
  state_ = state;
  reason_ = std::move(reason);
  advice_ = std::move(advice);
  changed_.set();
  if (news && context_.on_change) context_.on_change({.what = host_change::kind::server, .server = settings_.name});
}

// Reports the delay to callers waiting for the start. Later requests have callers that wait for an answer anyway.
void server::on_busy(std::string_view method, int status, duration pause) {
  if (state_ != server_state::starting) return;
  std::string why = std::string{status == 429 ? "too many requests" : "the service is unavailable"} +
                    ": the server answered with status " + std::to_string(status) + "; " + std::string{method} +
                    " is sent again in " + format_duration(pause);
  set_state(server_state::starting, why);
  if (context_.on_change)
    context_.on_change({.what = host_change::kind::delayed, .server = settings_.name, .text = std::move(why)});
}

error server::annotated(error e, std::string_view phase) const {
  if (e.server.empty()) {
    e = prefixed("server \"" + settings_.name + '"', std::move(e));
    e.server = settings_.name;
  }
  if (e.phase.empty()) e.phase = phase;
  // A server may echo secrets that it was sent.
  const redaction& hidden = *context_.session.home.redactions();
  e.what = hidden.apply(e.what);
  if (!e.data.empty()) e.data = redacted_json(hidden, e.data);
  if (e.code == errc::auth && login_ && login_->needs_login() && e.what.find("hawser auth") == std::string::npos)
    e.what += "; " + login_advice(settings_.name);
  return e;
}

result<void> server::restart() {
  if (!settings_.enabled)
    return error{.code = errc::config,
                 .what = "server \"" + settings_.name + "\" is disabled; " + enable_advice(),
                 .server = settings_.name};
  if (finished_) return error{.code = errc::closed, .what = "server \"" + settings_.name + "\" was removed or stopped"};
  needed_ = true;
  restart_ = true;
  restart_now_.set();
  if (!accepts_) set_state(server_state::starting);  // callers wait from now on
  wake_.set();
  return {};
}

// Sets the state of an idle lazy server to `starting`, so that callers wait for it.
void server::wake_up() {
  if (!settings_.enabled || needed_) return;
  needed_ = true;
  set_state(server_state::starting);
  wake_.set();
}

void server::start_if_unlisted() {
  if (cache_loaded_ && rows_ == 0) wake_up();
}

task<result<session*>> server::wait_for_session() {
  wake_up();
  for (;;) {
    if (accepts_) co_return session_.get();
    if (finished_ || !settings_.enabled) break;
    if (state_ == server_state::needs_auth && login_) {
      // Another program may have stored a login, as the advice suggests.
      auto news = co_await login_->reload();
      if (news && *news && state_ == server_state::needs_auth && restart()) continue;
    }
    // `ready` without accepts_ means that the connection has just ended and the next state is not decided yet.
    if (state_ != server_state::starting && state_ != server_state::ready) break;
    changed_.reset();
    auto waited = co_await changed_.wait();
    if (!waited) co_return annotated(waited.error(), "start");
  }
  if (!settings_.enabled) {
    error disabled{.code = errc::config, .what = "it is disabled; " + enable_advice()};
    co_return annotated(std::move(disabled), "start");
  }
  error why{.code = ended_ && !finished_ ? ended_->code : errc::closed, .what = std::string{to_string(state_)}};
  if (!reason_.empty() && reason_ != why.what) why.what += ": " + reason_;
  if (!advice_.empty()) why.what += " (" + advice_ + ')';
  if (ended_) {
    why.native = ended_->native;
    why.retry_after = ended_->retry_after;
  }
  co_return annotated(std::move(why), "start");
}

task<result<void>> server::wait_for_tools() {
  auto at = co_await wait_for_session();
  if (!at) co_return at.error();
  if (listed_ || !list_failure_) co_return result<void>{};
  co_return annotated(*list_failure_, "list");
}

call_options server::options_for(const request_options& settings) const {
  const auto own = [](const auto& first, const auto& second) { return first ? first : second; };
  const auto at_least_nothing = [](std::optional<duration> limit) {
    return limit ? std::optional{std::max(*limit, duration::zero())} : limit;
  };
  const std::optional<duration> total = at_least_nothing(own(settings.timeout, settings_.timeout));
  const std::optional<duration> silence = at_least_nothing(own(settings.silence, settings_.silence));
  call_options options{.hard_timeout = total.value_or(context_.settings.limits.hard_timeout)};
  // A caller who sets only one of the two limits sets both.
  options.idle_timeout = silence.value_or(total.value_or(context_.settings.limits.silence));
  if (!total) options.hard_timeout = std::max(options.hard_timeout, options.idle_timeout);
  if (settings.on_progress)
    options.on_progress = [tell = settings.on_progress,
                           hidden = context_.session.home.redactions()](progress_update update) {
      const std::string message = hidden->apply(update.message);
      update.message = message;
      tell(update);
    };
  return options;
}

// Takes one of the concurrent call slots and waits for a session. Nothing has been sent yet.
task<result<semaphore::permit>> server::acquire_call_slot() {
  auto place = co_await calls_.acquire();
  if (!place) co_return place;
  auto at = co_await wait_for_session_with_tools();
  if (!at) co_return at.error();
  co_return place;
}

task<result<raw_json>> server::call_tool(tool_reference& target, std::string arguments, call_options options,
                                         time_point began) {
  // Never negative: one of the two times may be the last tick's, the other exact.
  const auto spend = [&] {
    options.elapsed_before = std::max(duration::zero(), context_.session.home.coarse_now() - began);
  };
  spend();
  const duration patience =
      std::max(duration{1}, std::min(options.idle_timeout, options.hard_timeout - options.elapsed_before));
  auto place = co_await with_timeout(patience, acquire_call_slot());
  if (!place) {
    error why = place.error();
    if (why.code == errc::timed_out)
      why.what = accepts_ && outdated()
                     ? "its tools have changed and were not listed again within " + format_duration(patience)
                     : "busy or starting for " + format_duration(patience);
    co_return annotated(std::move(why), "call");
  }
  if (auto resolved = resolve(target); !resolved) co_return annotated(resolved.error(), "call");
  spend();
  auto answer = co_await session_->call_tool(target.tool, arguments, options);
  if (answer) co_return answer;
  // Auto-replay: a server that answered 404 for an expired session has executed nothing. Retried once, in the next
  // session.
  const auto forgot = [](const error& e) { return e.code == errc::closed && e.native == 404; };
  if (forgot(answer.error()) && answer.error().executed == execution::no) {
    spend();
    const duration rest = std::min(options.idle_timeout, options.hard_timeout - options.elapsed_before);
    auto again = co_await with_timeout(rest, wait_for_session_with_tools());
    if (!again) co_return annotated(again.error(), "call");
    if (auto resolved = resolve(target); !resolved) co_return annotated(resolved.error(), "call");
    spend();
    answer = co_await (*again)->call_tool(target.tool, std::move(arguments), std::move(options));
    if (answer) co_return answer;
  }
  const bool network = process_ == nullptr && (answer.error().code == errc::io || answer.error().code == errc::closed);
  if (answer.error().code == errc::timed_out || network) {
    needs_ping_ = true;
    wake_.set();
  }
  co_return annotated(with_login_error(answer.error()), "call");
}

task<result<void>> server::subscribe(std::string uri, bool wanted) {
  auto at = co_await wait_for_session();
  if (!at) co_return at.error();
  if (wanted) {
    subscriptions_.insert(uri);
  } else {
    subscriptions_.erase(uri);
  }
  session* s = *at;
  auto done = wanted ? s->subscribe(uri) : s->unsubscribe(uri);
  auto outcome = co_await std::move(done);
  if (outcome) co_return outcome;
  if (wanted && outcome.error().code == errc::remote) subscriptions_.erase(uri);
  co_return annotated(outcome.error(), "subscribe");
}

task<result<void>> server::set_log_level(std::string level) {
  auto at = co_await wait_for_session();
  if (!at) co_return at.error();
  auto outcome = co_await (*at)->set_log_level(level);
  // A level that failed for a temporary reason is set in the next session.
  if (outcome || outcome.error().code != errc::config) log_level_ = std::move(level);
  if (!outcome) co_return annotated(outcome.error(), "set log level");
  co_return outcome;
}

result<void> server::notify(std::string_view method, std::string_view params) {
  if (auto sound = detail::check_method(method); !sound) return annotated(sound.error(), "notify");
  if (equal_ignoring_case(method, protocol::method::tools_call))
    return annotated({.code = errc::config, .what = "tools/call is a request, and not sent as a notification"},
                     "notify");
  if (!accepts_) return annotated({.code = errc::closed, .what = std::string{to_string(state_)}}, "notify");
  return session_->notify(method, params);
}

void server::publish(const std::shared_ptr<const tool_list>& listed, skipped_tools unusable) {
  const auto rest = admitted(listed);
  admitted_ = rest;
  admitted_names_.clear();
  for (const tool& one : rest->tools()) admitted_names_.push_back(one.name);
  std::sort(admitted_names_.begin(), admitted_names_.end());
  const auto outcome = context_.tools.replace(id_, settings_.name, rest);
  rows_ = rest->size() - outcome.refused;
  refused_ = unusable.count + listed->size() - rows_;
  omitted_ = std::move(unusable.described);
  if (omitted_.size() > max_omitted) omitted_.resize(max_omitted);
  for (const refusal& one : outcome.refusals) {
    if (omitted_.size() < max_omitted) omitted_.push_back({.tool = one.tool, .what = one.what});
  }
  // Tool names come from the server.
  const redaction& hidden = *context_.session.home.redactions();
  for (omitted_tool& one : omitted_) one = {.tool = hidden.apply(one.tool), .what = hidden.apply(one.what)};
  // Logged at info level only: it is in the status, and does not affect calls of other tools.
  for (const omitted_tool& one : omitted_) context_.session.home.log().write(log_level::info, settings_.name, one.what);
  if (outcome.changed && context_.on_change)
    context_.on_change({.what = host_change::kind::tools, .server = settings_.name, .version = outcome.version});
}

void server::set_availability(availability state) {
  const auto outcome = context_.tools.set_available(id_, state);
  if (outcome.changed && context_.on_change)
    context_.on_change({.what = host_change::kind::tools, .server = settings_.name, .version = outcome.version});
}

void server::drop_rows() {
  rows_until_.reset();
  rows_ = 0;
  const auto outcome = context_.tools.remove(id_);
  if (outcome.changed && context_.on_change)
    context_.on_change({.what = host_change::kind::tools, .server = settings_.name, .version = outcome.version});
}

void server::on_list_changed(list_kind which) {
  if (which == list_kind::tools) {
    changed_last_ = context_.session.home.now();
    if (!changed_first_) changed_first_ = changed_last_;
    wake_.set();
    return;
  }
  const bool prompts = which == list_kind::prompts;
  if (context_.on_change)
    context_.on_change(
        {.what = prompts ? host_change::kind::prompts : host_change::kind::resources, .server = settings_.name});
}

void server::on_resource_updated(std::string_view uri) {
  if (context_.on_change)
    context_.on_change(
        {.what = host_change::kind::resource_updated, .server = settings_.name, .text = std::string{uri}});
}

// JSON of a notification as the program gets it. Searching it for secrets takes longer than receiving it.
std::string server::redacted_text(std::string_view json) const {
  constexpr std::size_t max_redacted = std::size_t{256} * 1024;
  if (json.size() > max_redacted) return json_string("left out: " + std::to_string(json.size()) + " bytes");
  return context_.session.home.redactions()->apply(json);
}

void server::on_log_message(std::string_view level, std::string_view data) {
  if (context_.on_change)
    context_.on_change({.what = host_change::kind::log_message,
                        .server = settings_.name,
                        .level = std::string{level},
                        .text = redacted_text(data)});
}

void server::on_other_notification(std::string_view method, std::string_view params) {
  if (context_.on_change)
    context_.on_change({.what = host_change::kind::notification,
                        .server = settings_.name,
                        .level = std::string{method},
                        .text = redacted_text(params)});
}

void server::on_session_closed(const error& why) {
  ended_ = why;
  accepts_ = false;
  if (session_ && session_->expired()) set_state(server_state::starting, why.what);  // calls wait for the next session
  wake_.set();
}

}  // namespace hawser
