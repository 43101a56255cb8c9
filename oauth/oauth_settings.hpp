// SPDX-License-Identifier: MIT
// What a user may say about logging in to a server; most say nothing, and it is found out.
#pragma once

#include <cstdint>
#include <string>

namespace hawser {

struct oauth_settings {
  enum class grant_kind : std::uint8_t {
    authorization_code,  ///< a person logs in
    client_credentials,  ///< the program itself does
  };

  bool enabled = true;  ///< false: a server that wants a login is left alone
  grant_kind grant = grant_kind::authorization_code;
  std::string issuer{};             ///< the only authorization server that is trusted with this login; empty = any
  std::string client_id{};          ///< registered beforehand; empty = found out
  std::string client_secret{};      ///< a secret
  std::string client_document{};    ///< the https URL of a client metadata document, which then is the client id
  std::string auth_method{};        ///< at the token endpoint; empty = what the server offers
  std::string private_key{};        ///< PEM, for private_key_jwt; a secret
  std::string private_key_file{};   ///< where it is instead
  std::string algorithm{};          ///< of that key; empty = what is usual for it
  std::string scope{};              ///< wanted beside what the server asks for; of client credentials: instead of it
  std::uint16_t callback_port = 0;  ///< for clients that are registered with a fixed one; 0 = any that is free
  std::string callback_path{};      ///< with it; empty = "/callback" where the port is fixed
  /// PEM files, for authorization servers on another origin than the server that ask for a client certificate. The
  /// server's own certificate is never offered to them.
  std::string certificate_file{};
  std::string certificate_key_file{};  ///< empty = it stands in certificate_file
  bool assume_pkce = false;            ///< for servers that support S256 and do not say so
};

}  // namespace hawser
