// SPDX-License-Identifier: MIT
#include "login_place.hpp"

#include <algorithm>

namespace hawser {

namespace {

constexpr std::size_t most_tried = 3;

// RFC 9728, 7.6: the client chooses. A configured issuer takes precedence over the issuers that the server names.
result<std::vector<std::string>> candidates(const resource_metadata& of, const std::string& pinned) {
  if (pinned.empty()) {
    std::vector<std::string> first = of.servers;
    first.resize(std::min(first.size(), most_tried));
    return first;
  }
  if (std::find(of.servers.begin(), of.servers.end(), pinned) != of.servers.end()) return std::vector{pinned};
  return error{.code = errc::auth,
               .what = "the server's metadata at " + of.found_at +
                       " does not name the configured issuer, and no other is trusted with its login: " + pinned};
}

metadata_need need_of(const oauth_settings& settings) {
  if (settings.grant == oauth_settings::grant_kind::client_credentials) return metadata_need::machine;
  return settings.assume_pkce ? metadata_need::code_pkce_unsaid : metadata_need::code;
}

}  // namespace

std::string canonical_resource(const http_url& server) {
  return server.target == "/" ? server.origin() : server.origin() + server.target;
}

task<result<login_place>> find_login_place(web& asks, http_url server, std::string hinted, oauth_settings settings) {
  const metadata_need need = need_of(settings);
  auto resource = co_await find_resource(asks, server, std::move(hinted));
  if (!resource) co_return resource.error();
  if (!resource->has_value()) {
    // 2025-03-26: without resource metadata, the server's own origin is the authorization server.
    auto old = co_await find_old_authorization_server(asks, server, need);
    if (!old) co_return old.error();
    if (!settings.issuer.empty() && old->issuer != settings.issuer)
      co_return error{.code = errc::auth,
                      .what = "the server sends people to " + old->issuer +
                              " to log in, and only the configured issuer is trusted: " + settings.issuer};
    co_return login_place{.at = *std::move(old), .resource = canonical_resource(server)};
  }
  auto trusted = candidates(**resource, settings.issuer);
  if (!trusted) co_return trusted.error();
  std::optional<error> first_fault;
  for (const std::string& issuer : *trusted) {
    auto at = co_await find_authorization_server(asks, issuer, need);
    if (at)
      co_return login_place{
          .at = *std::move(at), .resource = (*resource)->resource, .scopes = std::move((*resource)->scopes)};
    // A temporary failure of one authorization server is not a reason to use another.
    const errc how = at.error().code;
    if (how == errc::cancelled || how == errc::io || how == errc::timed_out || how == errc::closed)
      co_return at.error();
    if (!first_fault) first_fault = at.error();
  }
  co_return first_fault.value_or(
      error{.code = errc::auth, .what = "the server's metadata names no authorization server"});
}

}  // namespace hawser
