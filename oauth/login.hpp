// SPDX-License-Identifier: MIT
// A login: the client identity at an authorization server, the tokens it issued, and what they are bound to. Plain
// values; credential_store stores them, server_login refreshes them.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "../runtime/crypto.hpp"

namespace hawser {

/// Our client registration at one authorization server.
struct client_identity {
  std::string id{};
  secret client_secret{};  ///< client_secret; empty = a public client
  std::string method{};    ///< none, client_secret_basic, client_secret_post, private_key_jwt; empty = not specified
  std::string redirect_uri{};   ///< the registered one; empty = any
  std::int64_t expires_at = 0;  ///< of the client secret, unix seconds; 0 = never

  friend bool operator==(const client_identity&, const client_identity&) = default;
};

struct token_set {
  secret access{};
  secret refresh{};              ///< empty = none was issued
  std::string scope{};           ///< as granted by the server; empty = as requested
  std::int64_t expires_at = 0;   ///< unix seconds; 0 = not stated
  std::int64_t obtained_at = 0;  ///< unix seconds; the total lifetime determines when it is refreshed

  friend bool operator==(const token_set&, const token_set&) = default;
};

/// T-20, T-26: what a token is bound to. It must never be sent anywhere else.
struct login_key {
  std::string issuer{};    ///< byte for byte as in the resource metadata
  std::string resource{};  ///< byte for byte as in the metadata; sent as `resource`
  std::string client{};    ///< client_id
  /// The only server, by its configured URL, to which the token may be sent. Set if the resource lies above the
  /// server's path and would cover other servers, too. Empty = the resource is the server itself.
  std::string server{};

  friend auto operator<=>(const login_key&, const login_key&) = default;
};

struct login {
  login_key key{};
  token_set tokens{};
  client_identity client{};       ///< client.id == key.client
  std::string requested_scope{};  ///< the requested scope; a step-up requests its union with the new scope
  std::string token_endpoint{};
  std::string revocation_endpoint{};  ///< empty = the server has none

  friend bool operator==(const login&, const login&) = default;
};

}  // namespace hawser
