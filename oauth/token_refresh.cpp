// SPDX-License-Identifier: MIT
// Token refresh: shared by all waiters within this process, and under the store's lock among all
// processes.
#include <algorithm>

#include "../runtime/io/file.hpp"
#include "metadata.hpp"
#include "scopes.hpp"
#include "server_login.hpp"
#include "token_endpoint.hpp"

namespace hawser {

namespace {

constexpr duration first_retry_delay = std::chrono::seconds{2};
constexpr int max_doublings = 6;
constexpr std::size_t max_key_bytes = std::size_t{64} << 10;

// Delay before the next refresh after temporary failures.
duration retry_delay(int failures) { return first_retry_delay * (1 << std::min(failures, max_doublings)); }

// Errors that end a login. Other errors may come from an intermediary and do not end it.
bool is_permanent_refusal(const std::string& refusal) {
  return refusal == "invalid_grant" || refusal == "invalid_client" || refusal == "unauthorized_client";
}
bool is_oauth_error(const std::string& refusal) {
  return refusal == "invalid_request" || refusal == "invalid_scope" || refusal == "unsupported_grant_type" ||
         refusal == "invalid_target" || refusal == "access_denied";
}

// AUTH_TEMPORARY: no interactive login is needed, and no request reached the server itself.
error temporary_error(error why) {
  if (why.code != errc::cancelled) why.code = errc::auth;
  why.native = 0;
  why.executed = execution::no;
  return why;
}

}  // namespace

// Waits for the refresh in progress, or starts one. A waiter that gives up does not cancel it: a rotated token that is
// not saved is lost.
task<result<void>> server_login::await_refresh(std::uint64_t stale) {
  if (!refreshing_) {
    // E18: after a failed attempt, not every call tries again.
    if (context_.home.now() < retry_not_before_ && refresh_error_) co_return *refresh_error_;
    if (closed_) co_return error{.code = errc::closed, .what = "the server is being stopped"};
    if (!refresh_scope_) refresh_scope_ = std::make_unique<scope>(context{&context_.home, nullptr});
    refreshing_ = true;
    refresh_started_ = context_.home.now();
    refresh_done_.reset();
    refresh_scope_->spawn(run_refresh(*this));
  }
  auto landed = co_await refresh_done_.wait();
  if (!landed) co_return landed;
  if (serial_ != stale && login_) co_return result<void>{};
  co_return refresh_error_.value_or(error{.code = errc::auth, .what = "the login was not renewed"});
}

task<void> server_login::run_refresh(server_login& self) {
  self.refresh_error_.reset();
  const bool machine = self.options_.settings.grant == oauth_settings::grant_kind::client_credentials;
  auto asking = machine ? self.client_credentials_login() : self.refresh_stored_login();
  auto done = co_await std::move(asking);
  if (!done) self.refresh_error_ = done.error();
  if (!done && !self.is_login_missing())
    self.retry_not_before_ = self.context_.home.now() + retry_delay(self.failures_++);
  self.refreshing_ = false;
  self.refresh_done_.set();
}

task<result<void>> server_login::refresh_stored_login() {
  for (int tries = 0;; ++tries) {
    if (!login_) co_return require_login("somebody has logged out of it");
    const login_key key = login_->key;  // login_ may change during the await
    auto refresh_lock = co_await context_.store.acquire_refresh_lock(key);
    if (!refresh_lock)
      co_return temporary_error(prefixed("the login cannot be renewed just now", refresh_lock.error()));
    // T-29: another process may have refreshed it first. E10: a newer login, even with another client, takes
    // precedence.
    auto kept = co_await context_.store.find_for_server(options_.url);
    if (!kept) co_return temporary_error(kept.error());
    if (!kept->has_value() || !is_usable(**kept)) {
      login_.reset();
      co_return require_login("somebody has logged out of it");
    }
    const bool other = (*kept)->key != key;
    // Another login that is no newer than the refused one may be invalid, too.
    const bool old = other && login_ && (*kept)->tokens.obtained_at <= login_->tokens.obtained_at;
    if (other || !login_ || (*kept)->tokens.access != login_->tokens.access) {
      set_login(**std::move(kept));
      if (other && (old || expires_soon()) && can_refresh() && tries == 0) continue;
      co_return result<void>{};
    }
    login_ = **kept;
    auto asks = co_await open_http();
    if (!asks) co_return temporary_error(asks.error());
    auto done = co_await refresh_with_lock(**asks, **std::move(kept));
    co_await (*asks)->close();
    co_return done;
  }
}

task<result<void>> server_login::refresh_with_lock(oauth_http& asks, login before) {
  auto key = co_await load_signing_key();
  if (!key) co_return temporary_error(key.error());
  token_endpoint_context target{.endpoint = before.token_endpoint,
                                .issuer = before.key.issuer,
                                .resource = before.key.resource,
                                .key = *key,
                                .now = context_.now};
  auto outcome = co_await refresh_tokens(asks, target, before.client, before.tokens.refresh);
  if (!outcome) {
    error why = prefixed("the login cannot be renewed just now", outcome.error());
    co_return temporary_error(std::move(why));
  }
  if (!outcome->error_code.empty()) co_return co_await on_refresh_error(std::move(before), *std::move(outcome));
  login fresh = before;
  if (outcome->tokens.scope.empty()) outcome->tokens.scope = before.tokens.scope;
  fresh.tokens = std::move(outcome->tokens);
  // A new login, with another client, may have been stored meanwhile. It takes precedence.
  auto bound = co_await context_.store.find_for_server(options_.url);
  if (bound && bound->has_value() && (*bound)->key != before.key && is_usable(**bound)) {
    set_login(**std::move(bound));
    co_return result<void>{};
  }
  // A logout may have happened without waiting for this refresh. Then the new tokens are discarded and revoked.
  if (bound && !bound->has_value()) {
    login_.reset();
    if (!fresh.revocation_endpoint.empty()) {
      target.endpoint = fresh.revocation_endpoint;
      std::string hint = "refresh_token";
      auto told = co_await revoke_token(asks, std::move(target), fresh.client, fresh.tokens.refresh, std::move(hint));
      ignore(told, "as much as can be done");
    }
    co_return require_login("somebody has logged out of it");
  }
  // Saved before use: the old token may already be invalid.
  auto saved = co_await context_.store.save(options_.url, fresh);
  if (!saved)
    context_.home.log().write(log_level::warning, options_.name,
                              "its renewed login cannot be kept: " + saved.error().what);
  set_login(std::move(fresh), true);
  co_return result<void>{};
}

task<result<void>> server_login::on_refresh_error(login before, token_response outcome) {
  const std::string& refusal = outcome.error_code;
  const std::string said = refusal + (outcome.error_description.empty() ? "" : " (" + outcome.error_description + ')');
  if (!is_permanent_refusal(refusal) && !is_oauth_error(refusal))
    co_return error{.code = errc::auth,
                    .what = "the login cannot be renewed just now: " + before.key.issuer + " says " + said};
  const std::string what = "the login is over: " + before.key.issuer + " refuses to renew it: " + said;
  // E16: if the login was refreshed elsewhere without the lock, the stored token takes precedence.
  auto kept = co_await context_.store.find(before.key);
  if (kept && kept->has_value() && (*kept)->tokens.refresh != before.tokens.refresh) {
    set_login(**std::move(kept));
    co_return result<void>{};
  }
  login_.reset();
  rejected_refresh_token_ = before.tokens.refresh;
  // E15: the stored login is kept, as a later attempt may succeed.
  if (outcome.after_lost_response || !is_permanent_refusal(refusal)) co_return require_login(what);
  auto removed = co_await context_.store.remove(before.key, before.tokens.refresh);
  ignore(removed, "the next renewal finds out again");
  if (refusal == "invalid_client" || refusal == "unauthorized_client") {
    auto forgotten = co_await context_.store.remove_client(before.key.issuer, before.key.client);
    ignore(forgotten, "the next login finds out again");
  }
  co_return require_login(what);
}

// The client_credentials grant needs no user interaction and stores nothing.
task<result<void>> server_login::client_credentials_login() {
  auto asks = co_await open_http();
  if (!asks) co_return temporary_error(asks.error());
  auto done = co_await run_client_credentials_login(**asks);
  co_await (*asks)->close();
  if (done || done.error().code == errc::config) co_return done;
  co_return temporary_error(done.error());
}

task<result<std::shared_ptr<const signing_key>>> server_login::load_signing_key() {
  std::string pem = options_.settings.private_key;
  if (pem.empty() && !options_.settings.private_key_file.empty()) {
    auto read = co_await read_file(options_.settings.private_key_file, max_key_bytes);
    if (!read) co_return read.error();
    pem = *std::move(read);
  }
  if (pem.empty()) co_return std::shared_ptr<const signing_key>{};
  auto key = signing_key::from_pem(secret{pem}, options_.settings.algorithm);
  cleanse(pem.data(), pem.size());
  if (!key) co_return prefixed("the private key under \"oauth\"", key.error());
  co_return std::make_shared<const signing_key>(*std::move(key));
}

task<result<void>> server_login::run_client_credentials_login(oauth_http& asks) {
  auto place = co_await discover(asks, server_url_, resource_metadata_url_, options_.settings);
  if (!place) co_return place.error();
  if (options_.settings.client_id.empty())
    co_return error{.code = errc::config,
                    .what = "it is configured to log in by itself: set \"client_id\" under \"oauth\""};
  // E21: a secret shown to one authorization server is never shown to another.
  if (options_.settings.issuer.empty() && login_ && login_->key.issuer != place->authorization_server.issuer)
    co_return require_login("the server names another authorization server than before, " +
                            place->authorization_server.issuer +
                            ": set \"issuer\" under \"oauth\" to it if that is right");
  if (options_.settings.issuer.empty() && !login_ && !options_.settings.client_secret.empty())
    context_.home.log().write(log_level::warning, options_.name,
                              "its secret goes to whichever authorization server it names: set \"issuer\" under "
                              "\"oauth\" to " +
                                  place->authorization_server.issuer);
  auto key = co_await load_signing_key();
  if (!key) co_return key.error();
  const client_identity who{.id = options_.settings.client_id,
                            .client_secret = secret{options_.settings.client_secret},
                            .method = *key ? "private_key_jwt" : options_.settings.auth_method};
  const token_endpoint_context target{.endpoint = place->authorization_server.token_endpoint,
                                      .issuer = place->authorization_server.issuer,
                                      .resource = place->resource,
                                      .auth_methods = place->authorization_server.auth_methods,
                                      .lists_auth_methods = place->authorization_server.lists_auth_methods,
                                      .key = *key,
                                      .now = context_.now};
  // The server cannot extend the configured scope, because no person confirms it here.
  std::string scope = options_.settings.scope.empty() ? scope_union(challenged_scope_.value_or(""), "")
                                                      : scope_union(options_.settings.scope, "");
  if (scope.empty()) scope = place->scopes.value_or("");
  auto outcome = co_await request_client_credentials(asks, target, who, scope);
  if (!outcome) co_return outcome.error();
  if (!outcome->error_code.empty())
    co_return require_login(place->authorization_server.issuer +
                            " refuses the configured client: " + outcome->error_code +
                            (outcome->error_description.empty() ? "" : " (" + outcome->error_description + ')'));
  const std::string only_server = is_above_server(place->resource, server_url_) ? options_.url : std::string{};
  set_login({.key = {.issuer = place->authorization_server.issuer,
                     .resource = place->resource,
                     .client = who.id,
                     .server = only_server},
             .tokens = std::move(outcome->tokens),
             .client = who,
             .requested_scope = std::move(scope),
             .token_endpoint = place->authorization_server.token_endpoint,
             .revocation_endpoint = place->authorization_server.revocation_endpoint},
            true);
  co_return result<void>{};
}

}  // namespace hawser
