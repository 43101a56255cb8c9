// SPDX-License-Identifier: MIT
// OAuth metadata discovery: protected resource metadata (RFC 9728), authorization server metadata (RFC 8414, OpenID
// Connect), and the fallback of 2025-03-26. Checks every field that is used; caches nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oauth_http.hpp"

namespace hawser {

struct resource_metadata {
  std::string resource{};                            ///< byte for byte as received; sent unchanged
  std::vector<std::string> authorization_servers{};  ///< the issuers, at least one, byte for byte
  std::optional<std::string> scopes{};               ///< scopes_supported, joined by spaces; nullopt if there are none
  std::string document_url{};                        ///< the URL of the document
};

struct authorization_server_metadata {
  std::string issuer{};  ///< as the server writes it; compared with `iss`, and used as the audience of assertions
  std::string authorization_endpoint{};  ///< endpoints are checked and verbatim; empty = none
  std::string token_endpoint{};
  std::string registration_endpoint{};
  std::string revocation_endpoint{};
  std::vector<std::string> auth_methods{};          ///< token_endpoint_auth_methods_supported …
  bool lists_auth_methods = false;                  ///< … and whether the metadata has it
  std::vector<std::string> assertion_algorithms{};  ///< token_endpoint_auth_signing_alg_values_supported
  std::vector<std::string> scopes{};
  bool supports_client_documents = false;  ///< client ID metadata documents are supported
  bool sends_iss = false;                  ///< RFC 9207: the redirect will carry `iss`
  bool has_document = true;                ///< false: no document, but the defaults of 2025-03-26
};

/// What the authorization server metadata is needed for.
enum class metadata_purpose : std::uint8_t {
  authorization_code,               ///< interactive login; the metadata must list S256 (T-25)
  authorization_code_assumed_pkce,  ///< … or omit PKCE methods, because the user vouches for S256; S256 is used anyway
  client_credentials,               ///< client credentials: only a token endpoint
};

// Errors of all three name the URL and, if any, the field. errc::protocol and too_large: the document is unusable;
// errc::io (with the status), closed and timed_out are temporary.

/// Tries `resource_metadata_url`, the challenge's resource_metadata, if not empty, and then the well-known URLs, until
/// one has a document; 4xx and 502 mean that there is none. nullopt = no document. A document about another server than
/// `server` is an error (T-20).
task<result<std::optional<resource_metadata>>> fetch_resource_metadata(oauth_http& over, http_url server,
                                                                       std::string resource_metadata_url);

/// A document with another `issuer` is an error (T-21).
task<result<authorization_server_metadata>> fetch_authorization_server_metadata(oauth_http& over, std::string issuer,
                                                                                metadata_purpose need);

/// 2025-03-26: a server without resource metadata is its own authorization server, with metadata at the root of its
/// origin, or else with the default endpoints.
task<result<authorization_server_metadata>> fetch_legacy_server_metadata(oauth_http& over, http_url server,
                                                                         metadata_purpose need);

/// The well-known URLs of a server's metadata, in the order to try.
std::vector<std::string> resource_metadata_urls(const http_url& server);
std::vector<std::string> authorization_server_metadata_urls(const http_url& issuer);

/// Whether metadata about `resource` applies to `server`: the same origin, and the same path or a parent of it.
bool covers(std::string_view resource, const http_url& server);
/// Whether it covers the server and lies above its path, so that a token for it may be valid for other servers, too.
bool is_above_server(std::string_view resource, const http_url& server);

/// Equal, or different only by a trailing slash, which URL parsers tend to add.
bool is_same_issuer(std::string_view a, std::string_view b) noexcept;

}  // namespace hawser
