// SPDX-License-Identifier: MIT
#include "server_login.hpp"

#include <algorithm>

#include "../runtime/redaction.hpp"
#include "../runtime/timeout.hpp"
#include "../transports/http_fields.hpp"
#include "challenge.hpp"
#include "metadata.hpp"
#include "scopes.hpp"
#include "shown_text.hpp"

namespace hawser {

namespace {

constexpr std::size_t most_step_ups = 3;
constexpr duration step_up_window = std::chrono::hours{1};
constexpr duration last_word = std::chrono::seconds{3};
constexpr std::int64_t longest_margin = 60;
constexpr duration fresh_for = std::chrono::seconds{30};

task<result<void>> happened(event& what) { co_return co_await what.wait(); }

std::string parameter(const challenge* of, std::string_view name) {
  const std::string* value = of != nullptr ? of->find(name) : nullptr;
  return value != nullptr ? *value : std::string{};
}

}  // namespace

login_summary summary_of(std::string_view server_url, const login& of) {
  return {.server = shown_url(server_url),
          .issuer = of.key.issuer,
          .resource = of.key.resource,
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
  if (loaded_) co_return result<void>{};  // somebody else was faster
  if (!kept) {
    if (kept.error().code == errc::cancelled) co_return kept.error();
    around_.home.log().write(log_level::warning, of_.name, "its login cannot be read: " + kept.error().what);
  }
  loaded_ = true;
  // T-20: a token is for its own resource, whatever the store says whose it is.
  if (!kept || !kept->has_value() || !covers((*kept)->key.resource, to_)) co_return result<void>{};
  if (spent_.empty() || (*kept)->tokens.refresh != spent_) adopt(**std::move(kept));
  co_return result<void>{};
}

void server_login::adopt(login what, bool obtained) {
  redaction& hidden = *around_.home.hidden();
  for (const secret* one : {&what.tokens.access, &what.tokens.refresh, &what.client.key}) hidden.add(*one);
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
  failures_ = 0;
  not_before_ = {};
}

auth_grant server_login::current() const {
  if (!known_) return {.serial = serial_};
  auth_grant made = grant_;
  made.fresh = around_.home.now() < fresh_until_;
  return made;
}

// E19: what the clock says is a hint. Whether a token is good is what the server says.
bool server_login::expires_soon() const {
  const token_set& tokens = known_->tokens;
  if (tokens.expires_at == 0) return false;
  const std::int64_t life = std::max<std::int64_t>(0, tokens.expires_at - tokens.obtained_at);
  const std::int64_t at = around_.now();
  if (at < tokens.obtained_at) return false;  // the clock was turned back
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
    // The old one may still do; if not, the server will say so.
    if (!fresh && fresh.error().code == errc::cancelled) co_return fresh.error();
  }
  co_return current();
}

error server_login::lacking(std::string what) {
  lacking_ = what;
  if (lost() && of_.when_lost) of_.when_lost();
  return error{.code = errc::auth, .what = std::move(what)};
}

void server_login::note_challenge(const auth_refusal& why) {
  const auto all = read_challenges(why.challenges);
  const challenge* bearer = bearer_challenge(all);
  if (auto at = parameter(bearer, "resource_metadata"); !at.empty()) hinted_ = std::move(at);
  const std::string scope = parameter(bearer, "scope");
  challenged_scope_ = scope.empty() ? std::nullopt : std::optional{scope};
}

task<result<auth_grant>> server_login::refused(auth_refusal why) {
  if (why.serial != serial_ && known_) co_return current();  // somebody has renewed it in the meantime
  note_challenge(why);
  if (why.status == 403) co_return refused_scope(why);
  more_scope_ = false;
  if (renewable()) {
    auto fresh = co_await renewed(serial_);
    if (!fresh) co_return fresh.error();
    co_return current();
  }
  // Somebody may have logged in elsewhere, with another program.
  loaded_ = false;
  const std::uint64_t before = serial_;
  auto there = co_await loaded();
  if (!there) co_return there.error();
  if (serial_ != before) co_return current();
  if (known_) co_return lacking("the server does not accept the login any more, and it cannot be renewed");
  if (lost()) co_return error{.code = errc::auth, .what = lacking_};  // which says why there is none
  co_return lacking("the server wants a login");
}

// Step-up: what a token may not do cannot be had by renewing it.
result<auth_grant> server_login::refused_scope(const auth_refusal& why) {
  const auto all = read_challenges(why.challenges);
  const challenge* bearer = bearer_challenge(all);
  const std::string description = shown_text(parameter(bearer, "error_description"));
  if (parameter(bearer, "error") != "insufficient_scope") {
    const std::string said = description.empty() ? "" : ": " + description;
    return error{
        .code = errc::auth, .what = "the server forbids " + why.operation + " with this login" + said, .native = 403};
  }
  const std::string scope = joined_scopes(challenged_scope_.value_or(""), "");
  more_scope_ = true;
  const std::string wanted = scope.empty() ? "more scopes" : "the scope " + shown_text(scope);
  return lacking("the login does not include " + wanted + ", which " + why.operation + " needs");
}

task<result<std::unique_ptr<web>>> server_login::connected() {
  auto options = co_await of_.connection();
  if (!options) co_return options.error();
  // SSRF: nobody whom the server names may lie further inward than the server itself.
  network_zone innermost = network_zone::open;
  auto addresses = co_await around_.names.resolve(to_.host);
  if (!addresses && addresses.error().code == errc::cancelled) co_return addresses.error();
  if (addresses) {
    for (const ip_address& one : *addresses) {
      if (const network_zone zone = zone_of(one); zone != network_zone::refused) innermost = std::max(innermost, zone);
    }
  }
  co_return std::make_unique<web>(around_.home, around_.names, *std::move(options), innermost);
}

task<result<login_summary>> server_login::authenticate(login_wish wish, login_person& person) {
  if (busy_) co_return error{.code = errc::auth, .what = "somebody is logging in to it already"};
  if (of_.settings.grant == oauth_settings::grant_kind::client_credentials)
    co_return error{.code = errc::config, .what = "it is configured to log in by itself, without a person"};
  auto there = co_await loaded();
  if (!there) co_return there.error();
  auto asks = co_await connected();
  if (!asks) co_return asks.error();
  busy_ = true;
  auto done = co_await log_in_over(**asks, std::move(wish), person);
  busy_ = false;
  co_await (*asks)->close();
  co_return done;
}

task<result<login_summary>> server_login::log_in_over(web& asks, login_wish wish, login_person& person) {
  login_order order{.server_url = of_.url,
                    .server = to_,
                    .settings = of_.settings,
                    .hinted = hinted_,
                    .challenged_scope = challenged_scope_,
                    .wished_scope = wish.scope,
                    .patience = wish.patience};
  if (known_) order.earlier_scope = joined_scopes(known_->asked_scope, known_->tokens.scope);
  if (more_scope_ && known_) {
    const time_point at = around_.home.now();
    std::erase_if(step_ups_, [&](time_point one) { return one + step_up_window < at; });
    const std::string more = joined_scopes(challenged_scope_.value_or(""), wish.scope);
    if (step_ups_.size() >= most_step_ups || has_scopes(order.earlier_scope, more))
      co_return error{.code = errc::auth,
                      .what =
                          "the server asks for scopes again that the login has been given, or was asked for too "
                          "often; nobody is asked once more"};
    step_ups_.push_back(at);
  }
  const login_tools tools{.home = around_.home,
                          .store = around_.store,
                          .asks = asks,
                          .opens_browser = around_.opens_browser,
                          .now = around_.now};
  auto done = co_await log_in(tools, std::move(order), person);
  if (!done) co_return done.error();
  auto lead = co_await sole_right(done->key);
  if (!lead) co_return lead.error();
  auto saved = co_await around_.store.save(of_.url, *done);
  // F01: what the disk does not take is good until the program ends.
  if (!saved) person.remark("the login cannot be kept for the next time: " + saved.error().what);
  const login_summary said = summary_of(of_.url, *done);
  more_scope_ = false;
  lacking_.clear();
  adopt(*std::move(done), true);
  co_return said;
}

// T-29: whoever renews the old login just now would put it in the place of what is done here; waited for, but not for
// ever.
task<result<token_store::lead>> server_login::sole_right(login_key to) {
  while (in_flight_) {
    auto landed = co_await landed_.wait();
    if (!landed) co_return landed.error();
  }
  auto lead = co_await around_.store.take_lead(std::move(to));
  if (lead || lead.error().code == errc::cancelled) co_return lead;
  co_return token_store::lead{};
}

task<result<logout_report>> server_login::log_out() {
  auto there = co_await loaded();
  if (!there) co_return there.error();
  token_store::lead alone;
  if (known_) {
    auto lead = co_await sole_right(known_->key);
    if (!lead) co_return lead.error();
    alone = *std::move(lead);
  }
  auto removed = co_await around_.store.forget(of_.url);
  if (!removed) co_return removed.error();
  logout_report report{.removed = removed->size()};
  known_.reset();
  lacking_.clear();
  ++serial_;
  loaded_ = true;
  const bool any =
      std::any_of(removed->begin(), removed->end(), [](const login& one) { return !one.revocation_endpoint.empty(); });
  if (!any) co_return report;
  auto asks = co_await connected();
  if (!asks) co_return asks.error();
  for (const login& one : *removed) {
    if (one.revocation_endpoint.empty()) continue;
    const bool lasting = !one.tokens.refresh.empty();
    const secret& token = lasting ? one.tokens.refresh : one.tokens.access;
    token_target at{.endpoint = one.revocation_endpoint, .issuer = one.key.issuer, .now = around_.now};
    std::string hint = lasting ? "refresh_token" : "access_token";
    auto told = co_await revoke(**asks, std::move(at), one.client, token, std::move(hint));
    if (told) {
      ++report.revoked;
    } else {
      report.failures.push_back(told.error().what);
    }
  }
  co_await (*asks)->close();
  co_return report;
}

task<void> server_login::close() {
  closed_ = true;
  if (!work_) co_return;
  if (in_flight_) {
    auto done = co_await shield(last_word, happened(landed_));
    ignore(done, "whoever takes longer is stopped");
  }
  work_->request_stop();
  co_await work_->join();
  work_.reset();
}

}  // namespace hawser
