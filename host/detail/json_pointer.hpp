// SPDX-License-Identifier: MIT
// RFC 6901: how one says where something stands inside of JSON.
#pragma once

#include <string>
#include <string_view>

namespace hawser::detail {

/// The pointer of a member, or by its number of an element, of what `pointer` points to.
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
