// SPDX-License-Identifier: MIT
#include "pkce.hpp"

namespace hawser {

namespace {

constexpr std::size_t entropy = 48;  // 64 characters; RFC 7636 requires 43 to 128

}  // namespace

pkce_pair pkce_pair::make() {
  std::string verifier = base64url(random_bytes(entropy));
  pkce_pair made{.verifier = secret{verifier}, .challenge = pkce_challenge(verifier)};
  cleanse(verifier.data(), verifier.size());
  return made;
}

std::string pkce_challenge(std::string_view verifier) {
  const auto digest = sha256(verifier);
  return base64url({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

}  // namespace hawser
