// SPDX-License-Identifier: MIT
// Token refresh: shared by all waiters within this process, and under the store's lock among all
// processes.
#include <algorithm>

#include "../runtime/file.hpp"
#include "metadata.hpp"
#include "scopes.hpp"
#include "server_login.hpp"
#include "token.hpp"

namespace hawser {

namespace {

constexpr duration first_pause = std::chrono::seconds{2};
constexpr int most_doublings = 6;
constexpr std::size_t largest_key = std::size_t{64} << 10;

// Delay before the next refresh after temporary failures.
duration pause_after(int failures) { return first_pause * (1 << std::min(failures, most_doublings)); }

// Errors that end a login. Other errors may come from an intermediary and do not end it.
bool ends_login(const std::string& refusal) {
  return refusal == "invalid_grant" || refusal == "invalid_client" || refusal == "unauthorized_client";
}
bool is_oauth(const std::string& refusal) {
  return refusal == "invalid_request" || refusal == "invalid_scope" || refusal == "unsupported_grant_type" ||
         refusal == "invalid_target" || refusal == "access_denied";
}

// AUTH_TEMPORARY: no interactive login is needed, and no request reached the server itself.
error passing(error why) {
  if (why.code != errc::cancelled) why.code = errc::auth;
  why.native = 0;
  why.executed = execution::no;
  return why;
}

}  // namespace

// Waits for the refresh in progress, or starts one. A waiter that gives up does not cancel it: a rotated token that is
// not saved is lost.
task<result<void>> server_login::renewed(std::uint64_t stale) {
  if (!in_flight_) {
    // E18: after a failed attempt, not every call tries again.
    if (around_.home.now() < not_before_ && flight_failed_) co_return *flight_failed_;
    if (closed_) co_return error{.code = errc::closed, .what = "the server is being stopped"};
    if (!work_) work_ = std::make_unique<scope>(context{&around_.home, nullptr});
    in_flight_ = true;
    flight_began_ = around_.home.now();
    landed_.reset();
    work_->spawn(renewing(*this));
  }
  auto landed = co_await landed_.wait();
  if (!landed) co_return landed;
  if (serial_ != stale && known_) co_return result<void>{};
  co_return flight_failed_.value_or(error{.code = errc::auth, .what = "the login was not renewed"});
}

task<void> server_login::renewing(server_login& self) {
  self.flight_failed_.reset();
  const bool machine = self.of_.settings.grant == oauth_settings::grant_kind::client_credentials;
  auto asking = machine ? self.machine_login() : self.renew_now();
  auto done = co_await std::move(asking);
  if (!done) self.flight_failed_ = done.error();
  if (!done && !self.lost()) self.not_before_ = self.around_.home.now() + pause_after(self.failures_++);
  self.in_flight_ = false;
  self.landed_.set();
}

task<result<void>> server_login::renew_now() {
  for (int tries = 0;; ++tries) {
    if (!known_) co_return lacking("somebody has logged out of it");
    const login_key key = known_->key;  // known_ may change during the await
    auto lead = co_await around_.store.take_lead(key);
    if (!lead) co_return passing(prefixed("the login cannot be renewed just now", lead.error()));
    // T-29: another process may have refreshed it first. E10: a newer login, even with another client, takes
    // precedence.
    auto kept = co_await around_.store.of_server(of_.url);
    if (!kept) co_return passing(kept.error());
    if (!kept->has_value() || !fits(**kept)) {
      known_.reset();
      co_return lacking("somebody has logged out of it");
    }
    const bool other = (*kept)->key != key;
    // Another login that is no newer than the refused one may be invalid, too.
    const bool old = other && known_ && (*kept)->tokens.obtained_at <= known_->tokens.obtained_at;
    if (other || !known_ || (*kept)->tokens.access != known_->tokens.access) {
      adopt(**std::move(kept));
      if (other && (old || expires_soon()) && renewable() && tries == 0) continue;
      co_return result<void>{};
    }
    known_ = **kept;
    auto asks = co_await connected();
    if (!asks) co_return passing(asks.error());
    auto done = co_await renew_under_lead(**asks, **std::move(kept));
    co_await (*asks)->close();
    co_return done;
  }
}

task<result<void>> server_login::renew_under_lead(web& asks, login before) {
  auto key = co_await own_key();
  if (!key) co_return passing(key.error());
  token_target target{.endpoint = before.token_endpoint,
                      .issuer = before.key.issuer,
                      .resource = before.key.resource,
                      .key = *key,
                      .now = around_.now};
  auto outcome = co_await renew(asks, target, before.client, before.tokens.refresh);
  if (!outcome) {
    error why = prefixed("the login cannot be renewed just now", outcome.error());
    co_return passing(std::move(why));
  }
  if (!outcome->refusal.empty()) co_return co_await renewal_refused(std::move(before), *std::move(outcome));
  login fresh = before;
  if (outcome->tokens.scope.empty()) outcome->tokens.scope = before.tokens.scope;
  fresh.tokens = std::move(outcome->tokens);
  // A new login, with another client, may have been stored meanwhile. It takes precedence.
  auto bound = co_await around_.store.of_server(of_.url);
  if (bound && bound->has_value() && (*bound)->key != before.key && fits(**bound)) {
    adopt(**std::move(bound));
    co_return result<void>{};
  }
  // A logout may have happened without waiting for this refresh. Then the new tokens are discarded and revoked.
  if (bound && !bound->has_value()) {
    known_.reset();
    if (!fresh.revocation_endpoint.empty()) {
      target.endpoint = fresh.revocation_endpoint;
      std::string hint = "refresh_token";
      auto told = co_await revoke(asks, std::move(target), fresh.client, fresh.tokens.refresh, std::move(hint));
      ignore(told, "as much as can be done");
    }
    co_return lacking("somebody has logged out of it");
  }
  // Saved before use: the old token may already be invalid.
  auto saved = co_await around_.store.save(of_.url, fresh);
  if (!saved)
    around_.home.log().write(log_level::warning, of_.name, "its renewed login cannot be kept: " + saved.error().what);
  adopt(std::move(fresh), true);
  co_return result<void>{};
}

task<result<void>> server_login::renewal_refused(login before, token_outcome outcome) {
  const std::string& refusal = outcome.refusal;
  const std::string said = refusal + (outcome.description.empty() ? "" : " (" + outcome.description + ')');
  if (!ends_login(refusal) && !is_oauth(refusal))
    co_return error{.code = errc::auth,
                    .what = "the login cannot be renewed just now: " + before.key.issuer + " says " + said};
  const std::string what = "the login is over: " + before.key.issuer + " refuses to renew it: " + said;
  // E16: if the login was refreshed elsewhere without the lock, the stored token takes precedence.
  auto kept = co_await around_.store.find(before.key);
  if (kept && kept->has_value() && (*kept)->tokens.refresh != before.tokens.refresh) {
    adopt(**std::move(kept));
    co_return result<void>{};
  }
  known_.reset();
  spent_ = before.tokens.refresh;
  // E15: the stored login is kept, as a later attempt may succeed.
  if (outcome.after_loss || !ends_login(refusal)) co_return lacking(what);
  auto removed = co_await around_.store.remove(before.key, before.tokens.refresh);
  ignore(removed, "the next renewal finds out again");
  if (refusal == "invalid_client" || refusal == "unauthorized_client") {
    auto forgotten = co_await around_.store.forget_client(before.key.issuer, before.key.client);
    ignore(forgotten, "the next login finds out again");
  }
  co_return lacking(what);
}

// The client_credentials grant needs no user interaction and stores nothing.
task<result<void>> server_login::machine_login() {
  auto asks = co_await connected();
  if (!asks) co_return passing(asks.error());
  auto done = co_await machine_login_over(**asks);
  co_await (*asks)->close();
  if (done || done.error().code == errc::config) co_return done;
  co_return passing(done.error());
}

task<result<std::shared_ptr<const signing_key>>> server_login::own_key() {
  std::string pem = of_.settings.private_key;
  if (pem.empty() && !of_.settings.private_key_file.empty()) {
    auto read = co_await read_file(of_.settings.private_key_file, largest_key);
    if (!read) co_return read.error();
    pem = *std::move(read);
  }
  if (pem.empty()) co_return std::shared_ptr<const signing_key>{};
  auto key = signing_key::from_pem(secret{pem}, of_.settings.algorithm);
  cleanse(pem.data(), pem.size());
  if (!key) co_return prefixed("the private key under \"oauth\"", key.error());
  co_return std::make_shared<const signing_key>(*std::move(key));
}

task<result<void>> server_login::machine_login_over(web& asks) {
  auto place = co_await find_login_place(asks, to_, hinted_, of_.settings);
  if (!place) co_return place.error();
  if (of_.settings.client_id.empty())
    co_return error{.code = errc::config,
                    .what = "it is configured to log in by itself: set \"client_id\" under \"oauth\""};
  // E21: a secret shown to one authorization server is never shown to another.
  if (of_.settings.issuer.empty() && known_ && known_->key.issuer != place->at.issuer)
    co_return lacking("the server names another authorization server than before, " + place->at.issuer +
                      ": set \"issuer\" under \"oauth\" to it if that is right");
  if (of_.settings.issuer.empty() && !known_ && !of_.settings.client_secret.empty())
    around_.home.log().write(log_level::warning, of_.name,
                             "its secret goes to whichever authorization server it names: set \"issuer\" under "
                             "\"oauth\" to " +
                                 place->at.issuer);
  auto key = co_await own_key();
  if (!key) co_return key.error();
  const client_identity who{.id = of_.settings.client_id,
                            .key = secret{of_.settings.client_secret},
                            .method = *key ? "private_key_jwt" : of_.settings.auth_method};
  const token_target target{.endpoint = place->at.token_endpoint,
                            .issuer = place->at.issuer,
                            .resource = place->resource,
                            .auth_methods = place->at.auth_methods,
                            .says_methods = place->at.says_methods,
                            .key = *key,
                            .now = around_.now};
  // The server cannot extend the configured scope, because no person confirms it here.
  std::string scope = of_.settings.scope.empty() ? joined_scopes(challenged_scope_.value_or(""), "")
                                                 : joined_scopes(of_.settings.scope, "");
  if (scope.empty()) scope = place->scopes.value_or("");
  auto outcome = co_await client_credentials(asks, target, who, scope);
  if (!outcome) co_return outcome.error();
  if (!outcome->refusal.empty())
    co_return lacking(place->at.issuer + " refuses the configured client: " + outcome->refusal +
                      (outcome->description.empty() ? "" : " (" + outcome->description + ')'));
  const std::string only_server = lies_above(place->resource, to_) ? of_.url : std::string{};
  adopt({.key = {.issuer = place->at.issuer, .resource = place->resource, .client = who.id, .server = only_server},
         .tokens = std::move(outcome->tokens),
         .client = who,
         .asked_scope = std::move(scope),
         .token_endpoint = place->at.token_endpoint,
         .revocation_endpoint = place->at.revocation_endpoint},
        true);
  co_return result<void>{};
}

}  // namespace hawser
