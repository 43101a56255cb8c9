// SPDX-License-Identifier: MIT
// U+FEFF in UTF-8, with which some begin a text.
#pragma once

#include <string_view>

namespace hawser::detail {

inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace hawser::detail
