// SPDX-License-Identifier: MIT
// What a login leaves behind: who we are at an authorization server, the tokens it gave, and what they are bound to.
// Plain values; token_store keeps them, authorizer renews them.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "../runtime/crypto.hpp"

namespace hawser {

/// Who we are at one authorization server.
struct client_identity {
  std::string id{};
  secret key{};                 ///< client_secret; empty = a public client
  std::string method{};         ///< none, client_secret_basic, client_secret_post, private_key_jwt; empty = not said
  std::string redirect_uri{};   ///< what it was registered with; empty = any
  std::int64_t expires_at = 0;  ///< of the client secret, unix seconds; 0 = never

  friend bool operator==(const client_identity&, const client_identity&) = default;
};

struct token_set {
  secret access{};
  secret refresh{};              ///< empty = none was given
  std::string scope{};           ///< granted, as the server said; empty = as asked
  std::int64_t expires_at = 0;   ///< unix seconds; 0 = the server did not say
  std::int64_t obtained_at = 0;  ///< unix seconds: how long it lives in all decides on when it is renewed

  friend bool operator==(const token_set&, const token_set&) = default;
};

/// T-20, T-26: what a token is bound to. Nothing else may ever see it.
struct login_key {
  std::string issuer{};    ///< byte for byte as the resource's metadata named it
  std::string resource{};  ///< byte for byte as in the metadata; sent as `resource`
  std::string client{};    ///< client_id
  /// The only server that may be sent the token, by its configured URL: set where the resource lies above the server's
  /// path and would cover other servers, too. Empty = the resource is the server itself.
  std::string server{};

  friend auto operator<=>(const login_key&, const login_key&) = default;
};

struct login {
  login_key key{};
  token_set tokens{};
  client_identity client{};   ///< client.id == key.client
  std::string asked_scope{};  ///< what we asked for: step-up is a union with it
  std::string token_endpoint{};
  std::string revocation_endpoint{};  ///< empty = the server offers none

  friend bool operator==(const login&, const login&) = default;
};

}  // namespace hawser
