// SPDX-License-Identifier: MIT
// PKCE (RFC 7636), S256 only: a stolen authorization code cannot be exchanged.
#pragma once

#include <string>

#include "../runtime/crypto.hpp"

namespace hawser {

struct pkce_pair {
  secret verifier{};        ///< sent to the token endpoint with the code
  std::string challenge{};  ///< sent through the browser

  static pkce_pair make();
};

/// The `code_challenge` of a verifier.
std::string pkce_challenge(std::string_view verifier);

}  // namespace hawser
