// SPDX-License-Identifier: MIT
// Finding out who guards a server and how to reach them: protected resource metadata (RFC 9728), then the metadata of
// the authorization server (RFC 8414, OpenID Connect), and what there was before either. Every field that is used is
// checked here; nothing is remembered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "web.hpp"

namespace hawser {

struct resource_metadata {
  std::string resource{};               ///< byte for byte as it was written; to be sent like that
  std::vector<std::string> servers{};   ///< the issuers, at least one, byte for byte
  std::optional<std::string> scopes{};  ///< scopes_supported, joined by spaces; nothing where none is listed
  std::string found_at{};               ///< the URL of the document
};

struct server_metadata {
  std::string
      issuer{};  ///< as the server itself writes it: what `iss` and the audience of assertions are compared with
  std::string authorization_endpoint{};  ///< the endpoints are checked and verbatim; empty = there is none
  std::string token_endpoint{};
  std::string registration_endpoint{};
  std::string revocation_endpoint{};
  std::vector<std::string> auth_methods{};          ///< token_endpoint_auth_methods_supported …
  bool says_methods = false;                        ///< … and whether that was there
  std::vector<std::string> assertion_algorithms{};  ///< token_endpoint_auth_signing_alg_values_supported
  std::vector<std::string> scopes{};
  bool client_documents = false;  ///< a client may be the URL of a document about it
  bool says_iss = false;          ///< RFC 9207: the redirect will name the issuer
  bool discovered = true;         ///< false: there was no document, these are the defaults of 2025-03-26
};

/// What the metadata of an authorization server has to be good for.
enum class metadata_need : std::uint8_t {
  code,              ///< a person logs in; the document must say that the server knows S256 (T-25)
  code_pkce_unsaid,  ///< … or say nothing of proof keys, because the user vouches for that; S256 is used all the same
  machine,           ///< client credentials: nothing but a token endpoint
};

// Errors of all three name the URL and, where it is about one, the field. errc::protocol and too_large: what is there
// cannot be used; errc::io (with the status), closed and timed_out: it may be otherwise later.

/// Asks `hinted`, the challenge's resource_metadata, unless that is empty, and then the well-known places, until one
/// of them has a document: 4xx and 502 mean that it has none. Nothing = none has. A document about another server than
/// `server` is an error (T-20).
task<result<std::optional<resource_metadata>>> find_resource(web& over, http_url server, std::string hinted);

/// A document whose `issuer` is not this one is an error (T-21).
task<result<server_metadata>> find_authorization_server(web& over, std::string issuer, metadata_need need);

/// 2025-03-26, where the server has no metadata of its own: it is its own authorization server, with a document at
/// the root of its origin, or without one at the default endpoints.
task<result<server_metadata>> find_old_authorization_server(web& over, http_url server, metadata_need need);

/// Where metadata of a server may lie, in the order to ask.
std::vector<std::string> resource_metadata_urls(const http_url& server);
std::vector<std::string> server_metadata_urls(const http_url& issuer);

/// Whether metadata about `resource` is about `server`: the same origin, and its path the same or further up.
bool covers(std::string_view resource, const http_url& server);
/// Whether it covers the server and lies above its path, so that a token for it may be good for other servers, too.
bool lies_above(std::string_view resource, const http_url& server);

/// The same, or apart by one slash at the end, which URL parsers like to add.
bool same_issuer(std::string_view a, std::string_view b) noexcept;

}  // namespace hawser
