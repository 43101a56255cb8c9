// SPDX-License-Identifier: MIT
// The login settings of a server. All are optional: by default they are discovered.
#pragma once

#include <cstdint>
#include <string>

namespace hawser {

struct oauth_settings {
  enum class grant_kind : std::uint8_t {
    authorization_code,  ///< interactive login
    client_credentials,  ///< the program logs in by itself
  };

  bool enabled = true;  ///< false: no login is attempted
  grant_kind grant = grant_kind::authorization_code;
  std::string issuer{};            ///< the only authorization server that is trusted with this login; empty = any
  std::string client_id{};         ///< preregistered; empty = determined at login
  std::string client_secret{};     ///< a secret
  std::string client_document{};   ///< the https URL of a client ID metadata document, which is then the client id
  std::string auth_method{};       ///< at the token endpoint; empty = as the server offers
  std::string private_key{};       ///< PEM, for private_key_jwt; a secret
  std::string private_key_file{};  ///< a file to read it from instead
  std::string algorithm{};         ///< of that key; empty = the usual one for its type
  std::string scope{};  ///< requested in addition to what the server requires; with client_credentials: instead of it
  std::uint16_t callback_port = 0;  ///< for clients registered with a fixed port; 0 = any free port
  std::string callback_path{};      ///< likewise; empty = "/callback" with a fixed port
  /// PEM files of a client certificate for authorization servers on another origin than the server. The server's own
  /// client certificate is never sent to them.
  std::string certificate_file{};
  std::string certificate_key_file{};  ///< empty = the key is in certificate_file
  bool assume_pkce = false;            ///< for servers that support S256 but do not list it
};

}  // namespace hawser
