// SPDX-License-Identifier: MIT
#include "oauth_http_factory.hpp"

#include <algorithm>

namespace hawser {

namespace {

// The owner of a DNS name controls its addresses, so the least internal address counts: a name must not open this
// machine's network to servers of the owner's choice.
network_zone outermost(const std::vector<ip_address>& addresses) {
  network_zone zone = network_zone::internal;
  for (const ip_address& address : addresses) zone = std::min(zone, zone_of(address));
  return zone;
}

bool is_remote(const ip_address& address) { return zone_of(address) != network_zone::loopback; }

}  // namespace

oauth_http_factory::oauth_http_factory(const login_context& shared, const server_login_options& options)
    : shared_(shared), options_(options) {
  if (auto parsed = http_url::parse(options_.url)) server_url_ = *std::move(parsed);
}

task<result<std::unique_ptr<oauth_http>>> oauth_http_factory::open() {
  auto options = co_await options_.connection();
  if (!options) co_return options.error();
  auto innermost = literal_zone(server_url_);
  if (!innermost) {
    auto addresses = co_await shared_.names.resolve(server_url_.host);
    if (!addresses && addresses.error().code == errc::cancelled) co_return addresses.error();
    innermost = addresses ? outermost(*addresses) : network_zone::open;
  }
  auto http = std::make_unique<oauth_http>(shared_.event_loop, shared_.names, *std::move(options), *innermost);
  if (options_.server_connection) {
    auto server_options = co_await options_.server_connection();
    if (!server_options) co_return server_options.error();
    http->set_origin_options(server_url_, *std::move(server_options));
  }
  co_return http;
}

// A name that cannot be resolved here is left to a proxy.
task<result<bool>> oauth_http_factory::uses_cleartext() {
  if (server_url_.tls) co_return false;
  if (const auto zone = literal_zone(server_url_)) co_return *zone != network_zone::loopback;
  auto addresses = co_await shared_.names.resolve(server_url_.host);
  if (!addresses && addresses.error().code == errc::cancelled) co_return addresses.error();
  co_return !addresses || std::any_of(addresses->begin(), addresses->end(), is_remote);
}

}  // namespace hawser
