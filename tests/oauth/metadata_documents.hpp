// SPDX-License-Identifier: MIT
// Documents of resources and authorization servers on a web of the test, and what is found there.
#pragma once

#include "../../oauth/metadata.hpp"
#include "../support/oauth_http_fixture.hpp"
#include "../support/static_http_server.hpp"
#include "../support/ut.hpp"

namespace hawser::testing::documents {

using texts = std::vector<std::string>;

inline const std::string resource_root = "/.well-known/oauth-protected-resource";
inline const std::string server_root = "/.well-known/oauth-authorization-server";
inline const std::string oidc_root = "/.well-known/openid-configuration";

inline result<std::optional<resource_metadata>> resource_of(const static_http_server& at, std::string_view path,
                                                            const std::string& hinted = {}) {
  std::optional<result<std::optional<resource_metadata>>> got;
  with_oauth_http([&](oauth_http& over) -> task<void> {
    got = co_await fetch_resource_metadata(over, at.url(path), at.filled(hinted));
  });
  return *std::move(got);
}

inline result<authorization_server_metadata> server_of(const static_http_server& at, const std::string& issuer,
                                                       metadata_purpose need = metadata_purpose::authorization_code) {
  std::optional<result<authorization_server_metadata>> got;
  with_oauth_http([&](oauth_http& over) -> task<void> {
    got = co_await fetch_authorization_server_metadata(over, at.filled(issuer), need);
  });
  return *std::move(got);
}

inline result<authorization_server_metadata> old_server_of(
    const static_http_server& at, metadata_purpose need = metadata_purpose::authorization_code) {
  std::optional<result<authorization_server_metadata>> got;
  with_oauth_http([&](oauth_http& over) -> task<void> {
    got = co_await fetch_legacy_server_metadata(over, at.url("/mcp?x=1"), need);
  });
  return *std::move(got);
}

inline static_page about(const std::string& resource) {
  return {.body = R"({"resource":")" + resource + R"(","authorization_servers":["$ORIGIN/t1"]})"};
}

// A good document, with other members in the place of some.
inline static_page server_page(const std::string& issuer, const std::string& more = {}) {
  boost::json::object all{{"issuer", issuer},
                          {"authorization_endpoint", "$ORIGIN/authorize"},
                          {"token_endpoint", "$ORIGIN/token"},
                          {"response_types_supported", {"code"}},
                          {"code_challenge_methods_supported", {"plain", "S256"}}};
  const boost::json::value other = boost::json::parse(more.empty() ? "{}" : more);
  for (const auto& [name, value] : other.as_object()) all[name] = value;
  return {.body = boost::json::serialize(all)};
}

template <class T>
inline void refused(const result<T>& got, errc code, std::initializer_list<std::string_view> parts) {
  expect(fatal(got.has_error()));
  expect(got.error().code == code) << got.error().what;
  for (const std::string_view part : parts)
    expect(got.error().what.find(part) != std::string::npos) << part << "in" << got.error().what;
}

}  // namespace hawser::testing::documents
