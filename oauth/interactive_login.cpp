// SPDX-License-Identifier: MIT
// Interactive login, and logout.
#include <algorithm>

#include "guarded_login_ui.hpp"
#include "scopes.hpp"
#include "server_login.hpp"

namespace hawser {

namespace {

constexpr std::size_t max_step_ups = 3;
constexpr duration step_up_window = std::chrono::hours{1};

class scoped_flag {
 public:
  explicit scoped_flag(bool& place) noexcept : place_(place) { place_ = true; }
  scoped_flag(const scoped_flag&) = delete;
  scoped_flag& operator=(const scoped_flag&) = delete;
  ~scoped_flag() { place_ = false; }

 private:
  bool& place_;
};

error not_stored_error(const std::string& why) {
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
task<result<bool>> server_login::uses_cleartext() {
  if (server_url_.tls) co_return false;
  if (const auto zone = literal_zone(server_url_)) co_return *zone != network_zone::loopback;
  auto addresses = co_await context_.names.resolve(server_url_.host);
  if (!addresses && addresses.error().code == errc::cancelled) co_return addresses.error();
  co_return !addresses || std::any_of(addresses->begin(), addresses->end(),
                                      [](const ip_address& one) { return zone_of(one) != network_zone::loopback; });
}

task<result<std::unique_ptr<oauth_http>>> server_login::open_http() {
  auto options = co_await options_.connection();
  if (!options) co_return options.error();
  // SSRF: no URL named by the server may lie in a more internal zone than the server itself.
  auto innermost = literal_zone(server_url_);
  if (!innermost) {
    auto addresses = co_await context_.names.resolve(server_url_.host);
    if (!addresses && addresses.error().code == errc::cancelled) co_return addresses.error();
    innermost = addresses ? outermost(*addresses) : network_zone::open;
  }
  auto asks = std::make_unique<oauth_http>(context_.home, context_.names, *std::move(options), *innermost);
  if (options_.server_connection) {
    auto own = co_await options_.server_connection();
    if (!own) co_return own.error();
    asks->set_origin_options(server_url_, *std::move(own));
  }
  co_return asks;
}

task<result<login_summary>> server_login::authenticate(login_options wish, login_ui& person) {
  if (login_in_progress_) co_return error{.code = errc::auth, .what = "somebody is logging in to it already"};
  if (options_.settings.grant == oauth_settings::grant_kind::client_credentials)
    co_return error{.code = errc::config, .what = "it is configured to log in by itself, without a person"};
  const scoped_flag alone{login_in_progress_};
  auto exposed = co_await uses_cleartext();
  if (!exposed) co_return exposed.error();
  if (*exposed)
    co_return error{.code = errc::config,
                    .what =
                        "its url is plain http to another machine, where others could read the login's token: "
                        "use an https url"};
  auto there = co_await load();
  if (!there) co_return there.error();
  if (wish.persist == login_options::persistence::required) {
    auto possible = co_await check_persistence();
    if (!possible) co_return possible.error();
  }
  auto asks = co_await open_http();
  if (!asks) co_return asks.error();
  auto done = co_await run_interactive_login(**asks, std::move(wish), person);
  co_await (*asks)->close();
  co_return done;
}

// Checked before the browser opens. A store detects that it cannot write when it takes a lock.
task<result<void>> server_login::check_persistence() {
  login_key own{.server = options_.url};
  auto tried = co_await context_.store.acquire_refresh_lock(std::move(own));
  if (!tried && tried.error().code == errc::cancelled) co_return tried.error();
  if (!tried) co_return not_stored_error(tried.error().what);
  if (context_.store.location().empty()) co_return not_stored_error("there is no place to keep it");
  co_return result<void>{};
}

task<result<login_summary>> server_login::run_interactive_login(oauth_http& asks, login_options wish,
                                                                login_ui& person) {
  auto key = co_await load_signing_key();
  if (!key) co_return key.error();
  code_flow_request order{.server_url = options_.url,
                          .server = server_url_,
                          .settings = options_.settings,
                          .key = *key,
                          .resource_metadata_url = resource_metadata_url_,
                          .challenged_scope = challenged_scope_,
                          .user_scope = wish.scope,
                          .timeout = wish.timeout};
  if (login_) order.previous_scope = scope_union(login_->requested_scope, login_->tokens.scope);
  if (needs_step_up_ && login_) {
    const time_point at = context_.home.now();
    std::erase_if(step_ups_, [&](time_point one) { return one + step_up_window < at; });
    const std::string more = scope_union(challenged_scope_.value_or(""), wish.scope);
    const std::string& granted = login_->tokens.scope.empty() ? login_->requested_scope : login_->tokens.scope;
    const bool in_vain = !more.empty() && !wish.again && has_scopes(granted, more);
    if (step_ups_.size() >= max_step_ups || in_vain)
      co_return error{.code = errc::auth,
                      .what =
                          "the server asks for scopes again that the login has been given, or was asked for too "
                          "often; nobody is asked once more"};
    step_ups_.push_back(at);
  }
  const code_flow_context tools{.home = context_.home,
                                .store = context_.store,
                                .http = asks,
                                .opens_browser = context_.opens_browser,
                                .now = context_.now};
  auto done = co_await run_code_flow(tools, std::move(order), person);
  if (!done) co_return done.error();
  auto refresh_lock = co_await lock_login(done->key);
  if (!refresh_lock) co_return refresh_lock.error();
  auto saved = co_await context_.store.save(options_.url, *done);
  const bool kept = saved.has_value() && !context_.store.location().empty();
  if (!kept && wish.persist == login_options::persistence::required)
    co_return not_stored_error(saved ? "there is no place to keep it" : saved.error().what);
  // F01: a login that cannot be saved is valid until the program ends.
  if (!saved) {
    guarded_login_ui guarded_one{context_.home, person};
    guarded_one.show_message("the login cannot be kept for the next time: " + saved.error().what);
  }
  login_summary said = summarize(options_.url, *done);
  said.stored = kept;
  needs_step_up_ = false;
  login_needed_reason_.clear();
  set_login(*std::move(done), true);
  co_return said;
}

// T-29: a refresh of the old login in progress would overwrite the new one, so wait for it, with a bound.
task<result<credential_store::refresh_lock>> server_login::lock_login(login_key to) {
  while (refreshing_) {
    auto landed = co_await refresh_done_.wait();
    if (!landed) co_return landed.error();
  }
  auto refresh_lock = co_await context_.store.acquire_refresh_lock(std::move(to));
  if (refresh_lock || refresh_lock.error().code == errc::cancelled) co_return refresh_lock;
  co_return credential_store::refresh_lock{};
}

task<result<logout_report>> server_login::log_out() {
  auto there = co_await load();
  if (!there) co_return there.error();
  credential_store::refresh_lock alone;
  if (login_) {
    auto refresh_lock = co_await lock_login(login_->key);
    if (!refresh_lock) co_return refresh_lock.error();
    alone = *std::move(refresh_lock);
  }
  auto removed = co_await context_.store.forget(options_.url);
  if (!removed) co_return removed.error();
  logout_report report{.removed = removed->size()};
  login_.reset();
  login_needed_reason_.clear();
  needs_step_up_ = false;
  ++serial_;
  loaded_ = true;
  const bool any =
      std::any_of(removed->begin(), removed->end(), [](const login& one) { return !one.revocation_endpoint.empty(); });
  if (!any) co_return report;
  auto asks = co_await open_http();
  auto key = co_await load_signing_key();
  if (!asks || !key) {
    report.failures.push_back(asks ? key.error().what : asks.error().what);
    if (asks) co_await (*asks)->close();
    co_return report;
  }
  for (const login& one : *removed) {
    if (one.revocation_endpoint.empty()) continue;
    const bool lasting = !one.tokens.refresh.empty();
    const secret& token = lasting ? one.tokens.refresh : one.tokens.access;
    token_endpoint_context at{
        .endpoint = one.revocation_endpoint, .issuer = one.key.issuer, .key = *key, .now = context_.now};
    std::string hint = lasting ? "refresh_token" : "access_token";
    auto told = co_await revoke_token(**asks, std::move(at), one.client, token, std::move(hint));
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
