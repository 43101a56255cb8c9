// SPDX-License-Identifier: MIT
// The SHA-256 of a client-supplied text that is kept only for comparison: 32 bytes, however long the text is.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "../runtime/crypto.hpp"

namespace hawser {

using text_digest = std::array<std::uint8_t, 32>;

inline text_digest digest_of(std::string_view text) { return sha256(text); }

}  // namespace hawser
