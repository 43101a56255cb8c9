// SPDX-License-Identifier: MIT
#include "auth_metadata.hpp"

#include <algorithm>

namespace hawser {

namespace {

constexpr std::size_t most_tried = 3;

// RFC 9728, 7.6: the client chooses. A configured issuer takes precedence over the issuers that the server names.
result<std::vector<std::string>> candidates(const resource_metadata& of, const std::string& pinned) {
  if (pinned.empty()) {
    std::vector<std::string> first = of.authorization_servers;
    first.resize(std::min(first.size(), most_tried));
    return first;
  }
  if (std::find(of.authorization_servers.begin(), of.authorization_servers.end(), pinned) !=
      of.authorization_servers.end())
    return std::vector{pinned};
  return error{.code = errc::auth,
               .what = "the server's metadata at " + of.document_url +
                       " does not name the configured issuer, and no other is trusted with its login: " + pinned};
}

metadata_purpose need_of(const oauth_settings& settings) {
  if (settings.grant == oauth_settings::grant_kind::client_credentials) return metadata_purpose::client_credentials;
  return settings.assume_pkce ? metadata_purpose::authorization_code_assumed_pkce
                              : metadata_purpose::authorization_code;
}

}  // namespace

std::string canonical_resource(const http_url& server) {
  return server.target == "/" ? server.origin() : server.origin() + server.target;
}

task<result<auth_metadata>> discover(oauth_http& asks, http_url server, std::string resource_metadata_url,
                                     oauth_settings settings) {
  const metadata_purpose need = need_of(settings);
  auto resource = co_await fetch_resource_metadata(asks, server, std::move(resource_metadata_url));
  if (!resource) co_return resource.error();
  if (!resource->has_value()) {
    // 2025-03-26: without resource metadata, the server's own origin is the authorization server.
    auto old = co_await fetch_legacy_server_metadata(asks, server, need);
    if (!old) co_return old.error();
    if (!settings.issuer.empty() && old->issuer != settings.issuer)
      co_return error{.code = errc::auth,
                      .what = "the server sends people to " + old->issuer +
                              " to log in, and only the configured issuer is trusted: " + settings.issuer};
    co_return auth_metadata{.authorization_server = *std::move(old), .resource = canonical_resource(server)};
  }
  auto trusted = candidates(**resource, settings.issuer);
  if (!trusted) co_return trusted.error();
  std::optional<error> first_fault;
  for (const std::string& issuer : *trusted) {
    auto at = co_await fetch_authorization_server_metadata(asks, issuer, need);
    if (at)
      co_return auth_metadata{.authorization_server = *std::move(at),
                              .resource = (*resource)->resource,
                              .scopes = std::move((*resource)->scopes)};
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
