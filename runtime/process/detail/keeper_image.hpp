// SPDX-License-Identifier: MIT
// The keeper program embedded in the library, so that an embedding program has no file to install beside it.
#pragma once

#include <string_view>

namespace hawser::detail {

/// The bytes of the keeper executable.
std::string_view keeper_image() noexcept;

}  // namespace hawser::detail
