// SPDX-License-Identifier: MIT
// Interactive login, and logout.
#include <algorithm>

#include "guarded_person.hpp"
#include "scopes.hpp"
#include "server_login.hpp"

namespace hawser {

namespace {

constexpr std::size_t most_step_ups = 3;
constexpr duration step_up_window = std::chrono::hours{1};

class occupied {
 public:
  explicit occupied(bool& place) noexcept : place_(place) { place_ = true; }
  occupied(const occupied&) = delete;
  occupied& operator=(const occupied&) = delete;
  ~occupied() { place_ = false; }

 private:
  bool& place_;
};

error not_kept(const std::string& why) {
  return error{.code = errc::config, .what = "the login cannot be kept: " + why, .phase = "store"};
}

// The owner of a DNS name controls its addresses, so the least internal address counts: a name must not open this
// machine's network to servers of the owner's choice.
network_zone outermost(const std::vector<ip_address>& addresses) {
  network_zone zone = network_zone::internal;
  for (const ip_address& one : addresses) zone = std::min(zone, zone_of(one));
  return zone;
}

}  // namespace

// Whether tokens would leave this machine unencrypted. A name that cannot be resolved here is left to a proxy.
task<result<bool>> server_login::sends_in_clear() {
  if (to_.tls) co_return false;
  if (const auto zone = typed_zone(to_)) co_return *zone != network_zone::loopback;
  auto addresses = co_await around_.names.resolve(to_.host);
  if (!addresses && addresses.error().code == errc::cancelled) co_return addresses.error();
  co_return !addresses || std::any_of(addresses->begin(), addresses->end(),
                                      [](const ip_address& one) { return zone_of(one) != network_zone::loopback; });
}

task<result<std::unique_ptr<web>>> server_login::connected() {
  auto options = co_await of_.connection();
  if (!options) co_return options.error();
  // SSRF: no URL named by the server may lie in a more internal zone than the server itself.
  auto innermost = typed_zone(to_);
  if (!innermost) {
    auto addresses = co_await around_.names.resolve(to_.host);
    if (!addresses && addresses.error().code == errc::cancelled) co_return addresses.error();
    innermost = addresses ? outermost(*addresses) : network_zone::open;
  }
  auto asks = std::make_unique<web>(around_.home, around_.names, *std::move(options), *innermost);
  if (of_.server_connection) {
    auto own = co_await of_.server_connection();
    if (!own) co_return own.error();
    asks->reach_by(to_, *std::move(own));
  }
  co_return asks;
}

task<result<login_summary>> server_login::authenticate(login_wish wish, login_person& person) {
  if (busy_) co_return error{.code = errc::auth, .what = "somebody is logging in to it already"};
  if (of_.settings.grant == oauth_settings::grant_kind::client_credentials)
    co_return error{.code = errc::config, .what = "it is configured to log in by itself, without a person"};
  const occupied alone{busy_};
  auto exposed = co_await sends_in_clear();
  if (!exposed) co_return exposed.error();
  if (*exposed)
    co_return error{.code = errc::config,
                    .what =
                        "its url is plain http to another machine, where others could read the login's token: "
                        "use an https url"};
  auto there = co_await loaded();
  if (!there) co_return there.error();
  if (wish.keep == login_wish::keeping::required) {
    auto possible = co_await store_keeps();
    if (!possible) co_return possible.error();
  }
  auto asks = co_await connected();
  if (!asks) co_return asks.error();
  auto done = co_await log_in_over(**asks, std::move(wish), person);
  co_await (*asks)->close();
  co_return done;
}

// Checked before the browser opens. A store detects that it cannot write when it takes a lock.
task<result<void>> server_login::store_keeps() {
  login_key own{.server = of_.url};
  auto tried = co_await around_.store.take_lead(std::move(own));
  if (!tried && tried.error().code == errc::cancelled) co_return tried.error();
  if (!tried) co_return not_kept(tried.error().what);
  if (around_.store.kept_at().empty()) co_return not_kept("there is no place to keep it");
  co_return result<void>{};
}

task<result<login_summary>> server_login::log_in_over(web& asks, login_wish wish, login_person& person) {
  auto key = co_await own_key();
  if (!key) co_return key.error();
  login_order order{.server_url = of_.url,
                    .server = to_,
                    .settings = of_.settings,
                    .key = *key,
                    .hinted = hinted_,
                    .challenged_scope = challenged_scope_,
                    .wished_scope = wish.scope,
                    .patience = wish.patience};
  if (known_) order.earlier_scope = joined_scopes(known_->asked_scope, known_->tokens.scope);
  if (more_scope_ && known_) {
    const time_point at = around_.home.now();
    std::erase_if(step_ups_, [&](time_point one) { return one + step_up_window < at; });
    const std::string more = joined_scopes(challenged_scope_.value_or(""), wish.scope);
    const std::string& granted = known_->tokens.scope.empty() ? known_->asked_scope : known_->tokens.scope;
    const bool in_vain = !more.empty() && !wish.again && has_scopes(granted, more);
    if (step_ups_.size() >= most_step_ups || in_vain)
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
  const bool kept = saved.has_value() && !around_.store.kept_at().empty();
  if (!kept && wish.keep == login_wish::keeping::required)
    co_return not_kept(saved ? "there is no place to keep it" : saved.error().what);
  // F01: a login that cannot be saved is valid until the program ends.
  if (!saved) {
    guarded_person guarded_one{around_.home, person};
    guarded_one.remark("the login cannot be kept for the next time: " + saved.error().what);
  }
  login_summary said = summary_of(of_.url, *done);
  said.kept = kept;
  more_scope_ = false;
  lacking_.clear();
  adopt(*std::move(done), true);
  co_return said;
}

// T-29: a refresh of the old login in progress would overwrite the new one, so wait for it, with a bound.
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
  more_scope_ = false;
  ++serial_;
  loaded_ = true;
  const bool any =
      std::any_of(removed->begin(), removed->end(), [](const login& one) { return !one.revocation_endpoint.empty(); });
  if (!any) co_return report;
  auto asks = co_await connected();
  auto key = co_await own_key();
  if (!asks || !key) {
    report.failures.push_back(asks ? key.error().what : asks.error().what);
    if (asks) co_await (*asks)->close();
    co_return report;
  }
  for (const login& one : *removed) {
    if (one.revocation_endpoint.empty()) continue;
    const bool lasting = !one.tokens.refresh.empty();
    const secret& token = lasting ? one.tokens.refresh : one.tokens.access;
    token_target at{.endpoint = one.revocation_endpoint, .issuer = one.key.issuer, .key = *key, .now = around_.now};
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

}  // namespace hawser
