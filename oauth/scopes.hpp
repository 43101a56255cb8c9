// SPDX-License-Identifier: MIT
// Sets of scopes as OAuth writes them: words with spaces between them.
#pragma once

#include <string>
#include <string_view>

namespace hawser {

/// Whether the word can be a scope (RFC 6749, 3.3: scope-token).
bool is_scope_token(std::string_view word) noexcept;
/// Both, each word once, in the order in which they come. Words with characters that no scope has are left out.
std::string joined_scopes(std::string_view a, std::string_view b);
/// Whether every scope of `wanted` is in `all`.
bool has_scopes(std::string_view all, std::string_view wanted);

}  // namespace hawser
