// SPDX-License-Identifier: MIT
// The keeper travels inside the library, so that an embedding program has no file to lose.
#pragma once

#include <string_view>

namespace hawser::detail {

/// The keeper program, byte for byte.
std::string_view keeper_image() noexcept;

}  // namespace hawser::detail
