// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace hawser::detail {

/// The keeper program, byte for byte.
std::string_view keeper_image() noexcept;

}  // namespace hawser::detail
