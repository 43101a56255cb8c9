// SPDX-License-Identifier: MIT
// RFC 6901 JSON pointers.
#pragma once

#include <string>
#include <string_view>

namespace hawser::detail {

/// Appends a member name, or the index of an element, to `pointer`.
inline std::string pointer_below(std::string pointer, std::string_view name) {
  pointer += '/';
  for (const char c : name) {
    if (c == '~' || c == '/') {
      pointer += c == '~' ? "~0" : "~1";
    } else {
      pointer += c;
    }
  }
  return pointer;
}

}  // namespace hawser::detail
