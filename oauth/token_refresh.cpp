// SPDX-License-Identifier: MIT
#include "token_refresh.hpp"

#include <algorithm>

#include "../runtime/async/detail/wait_for.hpp"
#include "../runtime/async/timeout.hpp"

namespace hawser {

namespace {

constexpr std::int64_t max_expiry_margin = 60;
constexpr duration first_retry_delay = std::chrono::seconds{2};
constexpr int max_doublings = 6;
// How long close() lets a running refresh take, counted from its start, and how long close() waits at least. A response
// in transit may carry rotated tokens that invalidate the old ones.
constexpr duration max_refresh_wait = std::chrono::seconds{3};
constexpr duration min_refresh_wait = std::chrono::milliseconds{300};

// Delay before the next refresh after temporary failures.
duration retry_delay(int failures) { return first_retry_delay * (1 << std::min(failures, max_doublings)); }

// Errors that end a login. Other errors may come from an intermediary and do not end it.
bool is_permanent_refusal(const std::string& code) {
  return code == "invalid_grant" || code == "invalid_client" || code == "unauthorized_client";
}
bool is_oauth_error(const std::string& code) {
  return code == "invalid_request" || code == "invalid_scope" || code == "unsupported_grant_type" ||
         code == "invalid_target" || code == "access_denied";
}

// AUTH_TEMPORARY: no interactive login is needed, and no request reached the server itself.
error temporary_error(error why) {
  if (why.code != errc::cancelled) why.code = errc::auth;
  why.native = 0;
  why.executed = execution::no;
  return why;
}

}  // namespace

token_refresh::token_refresh(const login_context& shared, const server_login_options& options, current_login& login,
                             login_requirement& requirement, oauth_http_factory& connections)
    : shared_(shared),
      options_(options),
      login_(login),
      requirement_(requirement),
      connections_(connections),
      client_credentials_(shared, options, login, requirement) {}

token_refresh::~token_refresh() { detail::require(!scope_, "a login died before it was closed"); }

bool token_refresh::possible() const {
  return options_.settings.grant == oauth_settings::grant_kind::client_credentials ||
         (login_.get() && !login_.get()->tokens.refresh.empty());
}

bool token_refresh::due() const {
  if (!login_.get() || !possible()) return false;
  const token_set& tokens = login_.get()->tokens;
  if (tokens.expires_at == 0) return false;
  const std::int64_t lifetime = std::max<std::int64_t>(0, tokens.expires_at - tokens.obtained_at);
  const std::int64_t now = shared_.now();
  if (now < tokens.obtained_at) return false;  // the clock was set back
  return now >= tokens.expires_at - std::min(max_expiry_margin, lifetime / 10);
}

bool token_refresh::delayed() const { return shared_.event_loop.now() < retry_not_before_; }

void token_refresh::forget_failures() noexcept {
  failures_ = 0;
  retry_not_before_ = {};
}

task<result<void>> token_refresh::run(std::uint64_t stale) {
  if (!running_) {
    if (delayed() && last_error_) co_return *last_error_;
    if (closed_) co_return error{.code = errc::closed, .what = "the server is being stopped"};
    if (!scope_) scope_ = std::make_unique<scope>(context{&shared_.event_loop, nullptr});
    running_ = true;
    started_ = shared_.event_loop.now();
    done_.reset();
    scope_->spawn(run_once(*this));
  }
  auto waited = co_await done_.wait();
  if (!waited) co_return waited;
  if (login_.serial() != stale && login_.get()) co_return result<void>{};
  co_return last_error_.value_or(error{.code = errc::auth, .what = "the login was not renewed"});
}

task<void> token_refresh::run_once(token_refresh& self) {
  self.last_error_.reset();
  const bool needs_no_person = self.options_.settings.grant == oauth_settings::grant_kind::client_credentials;
  auto refresh = needs_no_person ? self.request_client_login() : self.refresh_stored_login();
  auto done = co_await std::move(refresh);
  if (!done) self.last_error_ = done.error();
  if (!done && self.requirement_.current() != login_requirement::kind::login)
    self.retry_not_before_ = self.shared_.event_loop.now() + retry_delay(self.failures_++);
  self.running_ = false;
  self.done_.set();
}

task<result<void>> token_refresh::request_client_login() {
  auto http = co_await connections_.open();
  if (!http) co_return temporary_error(http.error());
  auto done = co_await client_credentials_.run(**http, connections_.server_url());
  co_await (*http)->close();
  if (done || done.error().code == errc::config) co_return done;
  co_return temporary_error(done.error());
}

task<result<void>> token_refresh::refresh_stored_login() {
  for (int tries = 0;; ++tries) {
    if (!login_.get()) co_return requirement_.require_login("somebody has logged out of it");
    const login_key key = login_.get()->key;  // the login may change during the await
    auto refresh_lock = co_await shared_.store.acquire_refresh_lock(key);
    if (!refresh_lock)
      co_return temporary_error(prefixed("the login cannot be renewed just now", refresh_lock.error()));
    // T-29: another process may have refreshed it first. E10: a newer login, even with another client, takes
    // precedence.
    auto stored = co_await shared_.store.find_for_server(options_.url);
    if (!stored) co_return temporary_error(stored.error());
    if (!stored->has_value() || !login_.is_usable(**stored)) {
      login_.drop();
      co_return requirement_.require_login("somebody has logged out of it");
    }
    const std::optional<login>& known = login_.get();
    const bool other = (*stored)->key != key;
    // Another login that is no newer than the refused one may be invalid, too.
    const bool no_newer = other && known && (*stored)->tokens.obtained_at <= known->tokens.obtained_at;
    if (other || !known || (*stored)->tokens.access != known->tokens.access) {
      login_.set(**std::move(stored), current_login::origin::stored);
      if (other && possible() && (no_newer || due()) && tries == 0) continue;
      co_return result<void>{};
    }
    login_.set(**stored, current_login::origin::stored);
    auto http = co_await connections_.open();
    if (!http) co_return temporary_error(http.error());
    auto done = co_await refresh_with_lock(**http, **std::move(stored));
    co_await (*http)->close();
    co_return done;
  }
}

task<result<void>> token_refresh::refresh_with_lock(oauth_http& http, login old) {
  auto key = co_await load_signing_key(options_.settings);
  if (!key) co_return temporary_error(key.error());
  token_endpoint_context endpoint{.endpoint = old.token_endpoint,
                                  .issuer = old.key.issuer,
                                  .resource = old.key.resource,
                                  .key = *key,
                                  .now = shared_.now};
  auto response = co_await refresh_tokens(http, endpoint, old.client, old.tokens.refresh);
  if (!response) {
    error why = prefixed("the login cannot be renewed just now", response.error());
    co_return temporary_error(std::move(why));
  }
  if (!response->error_code.empty()) co_return co_await on_refusal(std::move(old), *std::move(response));
  co_return co_await use_new_tokens(http, std::move(endpoint), std::move(old), std::move(response->tokens));
}

task<result<void>> token_refresh::use_new_tokens(oauth_http& http, token_endpoint_context endpoint, login old,
                                                 token_set tokens) {
  login fresh = std::move(old);
  if (tokens.scope.empty()) tokens.scope = fresh.tokens.scope;
  fresh.tokens = std::move(tokens);
  // A new login, with another client, may have been stored meanwhile. It takes precedence.
  auto stored = co_await shared_.store.find_for_server(options_.url);
  if (stored && stored->has_value() && (*stored)->key != fresh.key && login_.is_usable(**stored)) {
    login_.set(**std::move(stored), current_login::origin::stored);
    co_return result<void>{};
  }
  // A logout may have happened without waiting for this refresh. Then the new tokens are discarded and revoked.
  if (stored && !stored->has_value()) {
    login_.drop();
    if (!fresh.revocation_endpoint.empty()) {
      endpoint.endpoint = fresh.revocation_endpoint;
      std::string hint = "refresh_token";
      auto revoked =
          co_await revoke_token(http, std::move(endpoint), fresh.client, fresh.tokens.refresh, std::move(hint));
      ignore(revoked, "as much as can be done");
    }
    co_return requirement_.require_login("somebody has logged out of it");
  }
  // Saved before use: the old token may already be invalid.
  auto saved = co_await shared_.store.save(options_.url, fresh);
  if (!saved)
    shared_.event_loop.log().write(log_level::warning, options_.name,
                                   "its renewed login cannot be kept: " + saved.error().what);
  login_.set(std::move(fresh), current_login::origin::issued);
  co_return result<void>{};
}

task<result<void>> token_refresh::on_refusal(login old, token_response response) {
  const std::string& code = response.error_code;
  const std::string answer = code + (response.error_description.empty() ? "" : " (" + response.error_description + ')');
  if (!is_permanent_refusal(code) && !is_oauth_error(code))
    co_return error{.code = errc::auth,
                    .what = "the login cannot be renewed just now: " + old.key.issuer + " says " + answer};
  const std::string reason = "the login is over: " + old.key.issuer + " refuses to renew it: " + answer;
  // E16: if the login was refreshed elsewhere without the lock, the stored token takes precedence.
  auto stored = co_await shared_.store.find(old.key);
  if (stored && stored->has_value() && (*stored)->tokens.refresh != old.tokens.refresh) {
    login_.set(**std::move(stored), current_login::origin::stored);
    co_return result<void>{};
  }
  login_.reject(old.tokens.refresh);
  // E15: the stored login is kept, as a later attempt may succeed.
  if (response.after_lost_response || !is_permanent_refusal(code)) co_return requirement_.require_login(reason);
  auto removed = co_await shared_.store.remove(old.key, old.tokens.refresh);
  ignore(removed, "the next renewal finds out again");
  if (code == "invalid_client" || code == "unauthorized_client") {
    auto forgotten = co_await shared_.store.remove_client(old.key.issuer, old.key.client);
    ignore(forgotten, "the next login finds out again");
  }
  co_return requirement_.require_login(reason);
}

task<result<credential_store::refresh_lock>> token_refresh::exclude(login_key key) {
  while (running_) {
    auto waited = co_await done_.wait();
    if (!waited) co_return waited.error();
  }
  auto refresh_lock = co_await shared_.store.acquire_refresh_lock(std::move(key));
  if (refresh_lock || refresh_lock.error().code == errc::cancelled) co_return refresh_lock;
  co_return credential_store::refresh_lock{};
}

task<void> token_refresh::close() {
  closed_ = true;
  if (!scope_) co_return;
  if (running_) {
    const duration left = std::max(min_refresh_wait, started_ + max_refresh_wait - shared_.event_loop.now());
    auto done = co_await shield(left, detail::wait_for(done_));
    ignore(done, "whoever takes longer is stopped");
  }
  scope_->request_stop();
  co_await scope_->join();
  scope_.reset();
}

}  // namespace hawser
