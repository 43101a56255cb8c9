// SPDX-License-Identifier: MIT
// Proof key for code exchange (RFC 7636), S256 and nothing weaker: who stole a code cannot redeem it.
#pragma once

#include <string>

#include "../runtime/crypto.hpp"

namespace hawser {

struct pkce_pair {
  secret verifier{};        ///< goes to the token endpoint, with the code
  std::string challenge{};  ///< goes through the browser

  static pkce_pair make();
};

/// What stands as `code_challenge` for a verifier.
std::string pkce_challenge(std::string_view verifier);

}  // namespace hawser
