// SPDX-License-Identifier: MIT
#include "server_login.hpp"

#include <algorithm>

#include "../runtime/detail/wait_for.hpp"
#include "../runtime/timeout.hpp"
#include "../transports/http_fields.hpp"
#include "metadata.hpp"
#include "scopes.hpp"
#include "shown_text.hpp"

namespace hawser {

namespace {

// How long close() lets a running refresh take, counted from its start, and how long close() waits at least. A response
// in transit may carry rotated tokens that invalidate the old ones.
constexpr duration longest_renewal = std::chrono::seconds{3};
constexpr duration last_word = std::chrono::milliseconds{300};
constexpr std::int64_t longest_margin = 60;
constexpr duration fresh_for = std::chrono::seconds{30};

std::string parameter(const challenge* of, std::string_view name) {
  const std::string* value = of != nullptr ? of->find(name) : nullptr;
  return value != nullptr ? *value : std::string{};
}

}  // namespace

login_summary summary_of(std::string_view server_url, const login& of) {
  return {.server = shown_url(server_url),
          .issuer = of.key.issuer,
          .resource = shown_url(of.key.resource),
          .client = of.key.client,
          .scope = of.tokens.scope.empty() ? of.asked_scope : of.tokens.scope,
          .expires_at = of.tokens.expires_at,
          .lasting = !of.tokens.refresh.empty()};
}

server_login::server_login(const login_surroundings& around, login_subject of) : around_(around), of_(std::move(of)) {
  if (auto parsed = http_url::parse(of_.url)) to_ = *std::move(parsed);
}

server_login::~server_login() { detail::require(!work_, "a login died before it was closed"); }

std::optional<login_summary> server_login::known() const {
  if (!known_) return std::nullopt;
  return summary_of(of_.url, *known_);
}

task<result<void>> server_login::loaded() {
  if (loaded_) co_return result<void>{};
  auto kept = co_await around_.store.of_server(of_.url);
  if (loaded_) co_return result<void>{};  // another coroutine has loaded it
  if (!kept) {
    if (kept.error().code == errc::cancelled) co_return kept.error();
    around_.home.log().write(log_level::warning, of_.name, "its login cannot be read: " + kept.error().what);
  }
  loaded_ = true;
  if (!kept || !kept->has_value() || !fits(**kept)) co_return result<void>{};
  if (spent_.empty() || (*kept)->tokens.refresh != spent_) adopt(**std::move(kept));
  co_return result<void>{};
}

// T-20: a token is used only for its own resource, whatever the store says, and only for an issuer and client that the
// current settings allow.
bool server_login::fits(const login& kept) const {
  const oauth_settings& wanted = of_.settings;
  if (wanted.grant == oauth_settings::grant_kind::client_credentials) return false;
  if (!wanted.issuer.empty() && wanted.issuer != kept.key.issuer) return false;
  if (!wanted.client_id.empty() && wanted.client_id != kept.key.client) return false;
  if (!kept.key.server.empty() && kept.key.server != of_.url) return false;
  return covers(kept.key.resource, to_);
}

void server_login::adopt(login what, bool obtained) {
  hidden_ = held_secrets{around_.home.hidden(), {what.tokens.access, what.tokens.refresh, what.client.key}};
  const bool other = !known_ || known_->tokens.access != what.tokens.access;
  known_ = std::move(what);
  if (!other) return;
  ++serial_;
  fresh_until_ = obtained ? around_.home.now() + fresh_for : time_point{};
  std::string line;
  append_field(line, "Authorization", "Bearer " + std::string{known_->tokens.access.reveal()});
  grant_ = {.fields = secret{line}, .serial = serial_};
  cleanse(line.data(), line.size());
  lacking_.clear();
  more_scope_ = false;
  failures_ = 0;
  not_before_ = {};
}

auth_grant server_login::current() const {
  if (!known_) return {.serial = serial_};
  auth_grant made = grant_;
  made.fresh = around_.home.now() < fresh_until_;
  return made;
}

// E19: expiry by the local clock is only a hint. A 401 decides whether a token is valid.
bool server_login::expires_soon() const {
  const token_set& tokens = known_->tokens;
  if (tokens.expires_at == 0) return false;
  const std::int64_t life = std::max<std::int64_t>(0, tokens.expires_at - tokens.obtained_at);
  const std::int64_t at = around_.now();
  if (at < tokens.obtained_at) return false;  // the clock was set back
  return at >= tokens.expires_at - std::min(longest_margin, life / 10);
}

bool server_login::renewable() const {
  return of_.settings.grant == oauth_settings::grant_kind::client_credentials ||
         (known_ && !known_->tokens.refresh.empty());
}

std::optional<auth_grant> server_login::at_hand() {
  if (!loaded_) return std::nullopt;
  if (known_ && expires_soon() && renewable()) return std::nullopt;
  return current();
}

task<result<auth_grant>> server_login::grant() {
  auto there = co_await loaded();
  if (!there) co_return there.error();
  if (known_ && expires_soon() && renewable() && around_.home.now() >= not_before_) {
    auto fresh = co_await renewed(serial_);
    // The old token may still be valid; otherwise the server answers 401.
    if (!fresh && fresh.error().code == errc::cancelled) co_return fresh.error();
  }
  co_return current();
}

error server_login::lacking(std::string what) {
  lacking_ = what;
  if (lost() && of_.when_lost) of_.when_lost();
  return error{.code = errc::auth, .what = std::move(what)};
}

void server_login::note_challenge(const challenge* bearer) {
  if (auto at = parameter(bearer, "resource_metadata"); !at.empty()) hinted_ = std::move(at);
  const std::string scope = parameter(bearer, "scope");
  challenged_scope_ = scope.empty() ? std::nullopt : std::optional{scope};
}

// Checks whether another program has stored a login.
task<result<bool>> server_login::appeared() {
  loaded_ = false;
  const std::uint64_t before = serial_;
  auto there = co_await loaded();
  if (!there) co_return there.error();
  co_return known_&& serial_ != before;
}

task<result<auth_grant>> server_login::refused(auth_refusal why) {
  if (why.serial != serial_ && known_) co_return current();  // refreshed in the meantime
  const auto all = read_challenges(why.challenges);
  const challenge* bearer = bearer_challenge(all);
  if (why.status == 403) co_return co_await refused_scope(why.operation, bearer);
  note_challenge(bearer);
  if (std::exchange(more_scope_, false)) lacking_.clear();  // the missing scope is no longer the reason
  if (renewable()) {
    auto fresh = co_await renewed(serial_);
    if (!fresh) co_return fresh.error();
    co_return current();
  }
  auto news = co_await appeared();
  if (!news) co_return news.error();
  if (*news) co_return current();
  if (known_) co_return lacking("the server does not accept the login any more, and it cannot be renewed");
  if (lost()) co_return error{.code = errc::auth, .what = lacking_};  // lacking_ says why there is no login
  co_return lacking("the server wants a login");
}

// Step-up: a refresh cannot add a missing scope. `bearer` must outlive this call.
task<result<auth_grant>> server_login::refused_scope(std::string operation, const challenge* bearer) {
  const std::string description = shown_text(parameter(bearer, "error_description"), *around_.home.hidden());
  if (parameter(bearer, "error") != "insufficient_scope") {
    const std::string said = description.empty() ? "" : ": " + description;
    co_return error{
        .code = errc::auth, .what = "the server forbids " + operation + " with this login" + said, .native = 403};
  }
  note_challenge(bearer);
  const std::string scope = joined_scopes(challenged_scope_.value_or(""), "");
  auto news = co_await appeared();
  if (!news) co_return news.error();
  if (*news) co_return current();
  more_scope_ = true;
  const std::string wanted = scope.empty() ? "more scopes" : "the scope " + shown_text(scope, *around_.home.hidden());
  co_return lacking("the login does not include " + wanted + ", which " + operation + " needs");
}

task<void> server_login::close() {
  closed_ = true;
  if (!work_) co_return;
  if (in_flight_) {
    const duration left = std::max(last_word, flight_began_ + longest_renewal - around_.home.now());
    auto done = co_await shield(left, detail::wait_for(landed_));
    ignore(done, "whoever takes longer is stopped");
  }
  work_->request_stop();
  co_await work_->join();
  work_.reset();
}

}  // namespace hawser
