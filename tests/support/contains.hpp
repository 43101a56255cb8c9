// SPDX-License-Identifier: MIT
// Substring search, used by most tests.
#pragma once

#include <string_view>

namespace hawser::testing {

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace hawser::testing
