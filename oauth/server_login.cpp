// SPDX-License-Identifier: MIT
#include "server_login.hpp"

#include "display_text.hpp"
#include "scopes.hpp"

namespace hawser {

server_login::server_login(const login_context& shared, server_login_options options)
    : shared_(shared),
      options_(std::move(options)),
      requirement_(options_.on_login_needed),
      login_(shared_, options_,
             [this] {
               requirement_.clear();
               refresh_.forget_failures();
             }),
      connections_(shared_, options_),
      refresh_(shared_, options_, login_, requirement_, connections_),
      interactive_(shared_, options_, login_, requirement_, connections_, refresh_) {}

std::optional<login_summary> server_login::summary() const {
  if (!login_.get()) return std::nullopt;
  return summarize(options_.url, *login_.get());
}

std::optional<credentials> server_login::cached() {
  if (!login_.loaded() || refresh_.due()) return std::nullopt;
  return login_.request_credentials();
}

task<result<credentials>> server_login::acquire() {
  auto loaded = co_await login_.load();
  if (!loaded) co_return loaded.error();
  if (refresh_.due() && !refresh_.delayed()) {
    auto refreshed = co_await refresh_.run(login_.serial());
    // The old token may still be valid; otherwise the server answers 401.
    if (!refreshed && refreshed.error().code == errc::cancelled) co_return refreshed.error();
  }
  co_return login_.request_credentials();
}

task<result<credentials>> server_login::on_challenge(auth_challenge why) {
  // Refreshed in the meantime.
  if (why.serial != login_.serial() && login_.get()) co_return login_.request_credentials();
  const auto challenges = read_challenges(why.challenges);
  const challenge* bearer = bearer_challenge(challenges);
  if (why.status == 403) co_return co_await on_insufficient_scope(why.operation, bearer);
  requirement_.remember_challenge(bearer);
  requirement_.end_step_up();
  if (refresh_.possible()) {
    auto refreshed = co_await refresh_.run(login_.serial());
    if (!refreshed) co_return refreshed.error();
    co_return login_.request_credentials();
  }
  auto replaced = co_await login_.reload();
  if (!replaced) co_return replaced.error();
  if (*replaced) co_return login_.request_credentials();
  if (login_.get())
    co_return requirement_.require_login("the server does not accept the login any more, and it cannot be renewed");
  // The reason that is known already says why there is no login.
  if (is_login_missing()) co_return error{.code = errc::auth, .what = reason()};
  co_return requirement_.require_login("the server wants a login");
}

// Step-up: a refresh cannot add a missing scope. `bearer` must outlive this call.
task<result<credentials>> server_login::on_insufficient_scope(std::string operation, const challenge* bearer) {
  const redaction& redactions = *shared_.event_loop.redactions();
  const std::string description = display_text(challenge_parameter(bearer, "error_description"), redactions);
  if (challenge_parameter(bearer, "error") != "insufficient_scope") {
    const std::string detail = description.empty() ? "" : ": " + description;
    co_return error{
        .code = errc::auth, .what = "the server forbids " + operation + " with this login" + detail, .native = 403};
  }
  requirement_.remember_challenge(bearer);
  const std::string scope = scope_union(requirement_.challenged_scope().value_or(""), "");
  auto replaced = co_await login_.reload();
  if (!replaced) co_return replaced.error();
  if (*replaced) co_return login_.request_credentials();
  const std::string missing = scope.empty() ? "more scopes" : "the scope " + display_text(scope, redactions);
  co_return requirement_.require_step_up("the login does not include " + missing + ", which " + operation + " needs");
}

task<result<logout_report>> server_login::log_out() {
  auto loaded = co_await login_.load();
  if (!loaded) co_return loaded.error();
  credential_store::refresh_lock no_refresh;  // held until the tokens are revoked
  if (login_.get()) {
    auto refresh_lock = co_await refresh_.exclude(login_.get()->key);
    if (!refresh_lock) co_return refresh_lock.error();
    no_refresh = *std::move(refresh_lock);
  }
  auto removed = co_await shared_.store.forget(options_.url);
  if (!removed) co_return removed.error();
  login_.log_out();
  requirement_.clear();
  auto report = co_await revoke_logins(connections_, options_.settings, shared_.now, *std::move(removed));
  co_return report;
}

}  // namespace hawser
