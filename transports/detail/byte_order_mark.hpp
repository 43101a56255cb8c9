// SPDX-License-Identifier: MIT
// The UTF-8 byte order mark (U+FEFF), which some programs write at the beginning of a text.
#pragma once

#include <string_view>

namespace hawser::detail {

inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace hawser::detail
