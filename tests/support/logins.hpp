// SPDX-License-Identifier: MIT
// Logins to put into stores.
#pragma once

#include <string>

#include "../../oauth/login.hpp"

namespace hawser::testing {

/// A login with all members set, distinguished by `name` and `generation`.
inline login sample_login(const std::string& name, int generation = 1) {
  const std::string mark = name + '-' + std::to_string(generation);
  login out;
  out.key = {
      .issuer = "https://as.example/" + name, .resource = "https://" + name + ".example/mcp", .client = "id-" + name};
  out.tokens = {.access = secret{"access-" + mark},
                .refresh = secret{"refresh-" + mark},
                .scope = "read write",
                .expires_at = 2'000'000'000 + generation,
                .obtained_at = 1'999'990'000 + generation};
  out.client = {.id = out.key.client,
                .client_secret = secret{"client-secret-" + name},
                .method = "client_secret_basic",
                .redirect_uri = "http://127.0.0.1:1234/callback",
                .expires_at = 2'100'000'000};
  out.requested_scope = "read write \"admin\"";
  out.token_endpoint = "https://as.example/" + name + "/token";
  out.revocation_endpoint = "https://as.example/" + name + "/revoke";
  return out;
}

inline std::string url_of(const std::string& name) { return "https://" + name + ".example/mcp"; }

}  // namespace hawser::testing
