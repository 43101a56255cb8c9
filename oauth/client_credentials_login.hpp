// SPDX-License-Identifier: MIT
// Login without a person: the client_credentials grant (RFC 6749, section 4.4) with the configured client. Nothing is
// stored. token_refresh decides when.
#pragma once

#include "current_login.hpp"
#include "login_requirement.hpp"
#include "oauth_http.hpp"

namespace hawser {

class client_credentials_login {
 public:
  /// All parameters must outlive it.
  client_credentials_login(const login_context& shared, const server_login_options& options, current_login& login,
                           login_requirement& requirement)
      : shared_(shared), options_(options), login_(login), requirement_(requirement) {}

  /// Requests tokens for the server at `server_url`, and sets the login.
  task<result<void>> run(oauth_http& http, http_url server_url);

 private:
  [[nodiscard]] result<void> check_authorization_server(const std::string& issuer);

  const login_context& shared_;
  const server_login_options& options_;
  current_login& login_;
  login_requirement& requirement_;
};

}  // namespace hawser
