// SPDX-License-Identifier: MIT
// Unlike std::isdigit, defined for every char.
#pragma once

namespace hawser::detail {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

}  // namespace hawser::detail
