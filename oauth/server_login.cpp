// SPDX-License-Identifier: MIT
#include "server_login.hpp"

#include <algorithm>

#include "../runtime/async/detail/wait_for.hpp"
#include "../runtime/async/timeout.hpp"
#include "../transports/http/http_fields.hpp"
#include "display_text.hpp"
#include "metadata.hpp"
#include "scopes.hpp"

namespace hawser {

namespace {

// How long close() lets a running refresh take, counted from its start, and how long close() waits at least. A response
// in transit may carry rotated tokens that invalidate the old ones.
constexpr duration max_refresh_wait = std::chrono::seconds{3};
constexpr duration min_refresh_wait = std::chrono::milliseconds{300};
constexpr std::int64_t max_expiry_margin = 60;
constexpr duration fresh_period = std::chrono::seconds{30};

std::string parameter(const challenge* of, std::string_view name) {
  const std::string* value = of != nullptr ? of->find(name) : nullptr;
  return value != nullptr ? *value : std::string{};
}

}  // namespace

login_summary summarize(std::string_view server_url, const login& of) {
  return {.server = url_without_query(server_url),
          .issuer = of.key.issuer,
          .resource = url_without_query(of.key.resource),
          .client = of.key.client,
          .scope = of.tokens.scope.empty() ? of.requested_scope : of.tokens.scope,
          .expires_at = of.tokens.expires_at,
          .renewable = !of.tokens.refresh.empty()};
}

server_login::server_login(const login_context& around, server_login_options of)
    : context_(around), options_(std::move(of)) {
  if (auto parsed = http_url::parse(options_.url)) server_url_ = *std::move(parsed);
}

server_login::~server_login() { detail::require(!refresh_scope_, "a login died before it was closed"); }

std::optional<login_summary> server_login::summary() const {
  if (!login_) return std::nullopt;
  return summarize(options_.url, *login_);
}

task<result<void>> server_login::load() {
  if (loaded_) co_return result<void>{};
  auto kept = co_await context_.store.find_for_server(options_.url);
  if (loaded_) co_return result<void>{};  // another coroutine has loaded it
  if (!kept) {
    if (kept.error().code == errc::cancelled) co_return kept.error();
    context_.home.log().write(log_level::warning, options_.name, "its login cannot be read: " + kept.error().what);
  }
  loaded_ = true;
  if (!kept || !kept->has_value() || !is_usable(**kept)) co_return result<void>{};
  if (rejected_refresh_token_.empty() || (*kept)->tokens.refresh != rejected_refresh_token_)
    set_login(**std::move(kept));
  co_return result<void>{};
}

// T-20: a token is used only for its own resource, whatever the store says, and only for an issuer and client that the
// current settings allow.
bool server_login::is_usable(const login& kept) const {
  const oauth_settings& wanted = options_.settings;
  if (wanted.grant == oauth_settings::grant_kind::client_credentials) return false;
  if (!wanted.issuer.empty() && wanted.issuer != kept.key.issuer) return false;
  if (!wanted.client_id.empty() && wanted.client_id != kept.key.client) return false;
  if (!kept.key.server.empty() && kept.key.server != options_.url) return false;
  return covers(kept.key.resource, server_url_);
}

void server_login::set_login(login what, bool obtained) {
  redaction_ = scoped_redaction{context_.home.redactions(),
                                {what.tokens.access, what.tokens.refresh, what.client.client_secret}};
  const bool other = !login_ || login_->tokens.access != what.tokens.access;
  login_ = std::move(what);
  if (!other) return;
  ++serial_;
  fresh_until_ = obtained ? context_.home.now() + fresh_period : time_point{};
  std::string line;
  append_field(line, "Authorization", "Bearer " + std::string{login_->tokens.access.reveal()});
  credentials_ = {.fields = secret{line}, .serial = serial_};
  cleanse(line.data(), line.size());
  login_needed_reason_.clear();
  needs_step_up_ = false;
  failures_ = 0;
  retry_not_before_ = {};
}

credentials server_login::current_credentials() const {
  if (!login_) return {.serial = serial_};
  credentials made = credentials_;
  made.fresh = context_.home.now() < fresh_until_;
  return made;
}

// E19: expiry by the local clock is only a hint. A 401 decides whether a token is valid.
bool server_login::expires_soon() const {
  const token_set& tokens = login_->tokens;
  if (tokens.expires_at == 0) return false;
  const std::int64_t life = std::max<std::int64_t>(0, tokens.expires_at - tokens.obtained_at);
  const std::int64_t at = context_.now();
  if (at < tokens.obtained_at) return false;  // the clock was set back
  return at >= tokens.expires_at - std::min(max_expiry_margin, life / 10);
}

bool server_login::can_refresh() const {
  return options_.settings.grant == oauth_settings::grant_kind::client_credentials ||
         (login_ && !login_->tokens.refresh.empty());
}

std::optional<credentials> server_login::cached() {
  if (!loaded_) return std::nullopt;
  if (login_ && expires_soon() && can_refresh()) return std::nullopt;
  return current_credentials();
}

task<result<credentials>> server_login::acquire() {
  auto there = co_await load();
  if (!there) co_return there.error();
  if (login_ && expires_soon() && can_refresh() && context_.home.now() >= retry_not_before_) {
    auto fresh = co_await await_refresh(serial_);
    // The old token may still be valid; otherwise the server answers 401.
    if (!fresh && fresh.error().code == errc::cancelled) co_return fresh.error();
  }
  co_return current_credentials();
}

error server_login::require_login(std::string what) {
  login_needed_reason_ = what;
  if (is_login_missing() && options_.on_login_needed) options_.on_login_needed();
  return error{.code = errc::auth, .what = std::move(what)};
}

void server_login::remember_challenge(const challenge* bearer) {
  if (auto at = parameter(bearer, "resource_metadata"); !at.empty()) resource_metadata_url_ = std::move(at);
  const std::string scope = parameter(bearer, "scope");
  challenged_scope_ = scope.empty() ? std::nullopt : std::optional{scope};
}

// Checks whether another program has stored a login.
task<result<bool>> server_login::reload() {
  loaded_ = false;
  const std::uint64_t before = serial_;
  auto there = co_await load();
  if (!there) co_return there.error();
  co_return login_&& serial_ != before;
}

task<result<credentials>> server_login::on_challenge(auth_challenge why) {
  if (why.serial != serial_ && login_) co_return current_credentials();  // refreshed in the meantime
  const auto all = read_challenges(why.challenges);
  const challenge* bearer = bearer_challenge(all);
  if (why.status == 403) co_return co_await on_insufficient_scope(why.operation, bearer);
  remember_challenge(bearer);
  if (std::exchange(needs_step_up_, false)) login_needed_reason_.clear();  // the missing scope is no longer the reason
  if (can_refresh()) {
    auto fresh = co_await await_refresh(serial_);
    if (!fresh) co_return fresh.error();
    co_return current_credentials();
  }
  auto news = co_await reload();
  if (!news) co_return news.error();
  if (*news) co_return current_credentials();
  if (login_) co_return require_login("the server does not accept the login any more, and it cannot be renewed");
  if (is_login_missing())
    co_return error{.code = errc::auth,
                    .what = login_needed_reason_};  // login_needed_reason_ says why there is no login
  co_return require_login("the server wants a login");
}

// Step-up: a refresh cannot add a missing scope. `bearer` must outlive this call.
task<result<credentials>> server_login::on_insufficient_scope(std::string operation, const challenge* bearer) {
  const std::string description = display_text(parameter(bearer, "error_description"), *context_.home.redactions());
  if (parameter(bearer, "error") != "insufficient_scope") {
    const std::string said = description.empty() ? "" : ": " + description;
    co_return error{
        .code = errc::auth, .what = "the server forbids " + operation + " with this login" + said, .native = 403};
  }
  remember_challenge(bearer);
  const std::string scope = scope_union(challenged_scope_.value_or(""), "");
  auto news = co_await reload();
  if (!news) co_return news.error();
  if (*news) co_return current_credentials();
  needs_step_up_ = true;
  const std::string wanted =
      scope.empty() ? "more scopes" : "the scope " + display_text(scope, *context_.home.redactions());
  co_return require_login("the login does not include " + wanted + ", which " + operation + " needs");
}

task<void> server_login::close() {
  closed_ = true;
  if (!refresh_scope_) co_return;
  if (refreshing_) {
    const duration left = std::max(min_refresh_wait, refresh_started_ + max_refresh_wait - context_.home.now());
    auto done = co_await shield(left, detail::wait_for(refresh_done_));
    ignore(done, "whoever takes longer is stopped");
  }
  refresh_scope_->request_stop();
  co_await refresh_scope_->join();
  refresh_scope_.reset();
}

}  // namespace hawser
