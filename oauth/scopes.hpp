// SPDX-License-Identifier: MIT
// Scope sets in OAuth's notation: words separated by spaces.
#pragma once

#include <string>
#include <string_view>

namespace hawser {

/// Whether the word is a valid scope-token (RFC 6749, 3.3).
bool is_scope_token(std::string_view word) noexcept;
/// The union, in order, without duplicates. Invalid scope tokens are left out.
std::string scope_union(std::string_view a, std::string_view b);
/// Whether every scope of `wanted` is in `all`.
bool has_scopes(std::string_view all, std::string_view wanted);

}  // namespace hawser
