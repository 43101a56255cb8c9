// SPDX-License-Identifier: MIT
// A text of a client's as its SHA-256, for what is kept only to be compared: 32 bytes whatever the client sent.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "../runtime/crypto.hpp"

namespace hawser {

using text_digest = std::array<std::uint8_t, 32>;

inline text_digest digest_of(std::string_view text) { return sha256(text); }

}  // namespace hawser
