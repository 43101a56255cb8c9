// SPDX-License-Identifier: MIT
// Checks names, URLs, headers and environment variables of servers. Each returns null, or the fault, worded to follow
// the name of the key; the value is never repeated.
#pragma once

#include <string_view>

namespace hawser::detail {

[[nodiscard]] const char* server_name_fault(std::string_view name) noexcept;
[[nodiscard]] const char* url_fault(std::string_view url) noexcept;
/// Also refuses header fields that the transport writes itself: duplicates enable request smuggling.
[[nodiscard]] const char* header_name_fault(std::string_view name) noexcept;
/// Visible ASCII and spaces only: a line break would start another header.
[[nodiscard]] const char* header_value_fault(std::string_view value) noexcept;
[[nodiscard]] const char* variable_name_fault(std::string_view name) noexcept;

/// ASCII only, as in comparisons of header names.
[[nodiscard]] char lower(char c) noexcept;

}  // namespace hawser::detail
