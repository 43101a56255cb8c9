// SPDX-License-Identifier: MIT
// What a server's name, its address, its headers and its environment may look like. Each answers null, or what is
// wrong, ready to stand behind the name of the key; none repeats the value.
#pragma once

#include <string_view>

namespace hawser::detail {

[[nodiscard]] const char* server_name_fault(std::string_view name) noexcept;
[[nodiscard]] const char* url_fault(std::string_view url) noexcept;
/// Also refuses the headers that the transport writes itself: two of one kind are how requests are smuggled.
[[nodiscard]] const char* header_name_fault(std::string_view name) noexcept;
/// Visible ASCII and spaces only: a line break would end the header and begin another one.
[[nodiscard]] const char* header_value_fault(std::string_view value) noexcept;
[[nodiscard]] const char* variable_name_fault(std::string_view name) noexcept;

/// ASCII only, as header names compare.
[[nodiscard]] char lower(char c) noexcept;

}  // namespace hawser::detail
