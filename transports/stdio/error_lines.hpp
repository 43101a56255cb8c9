// SPDX-License-Identifier: MIT
// Finds the lines of a program's log that look like its error message. A heuristic for display; no decision depends on
// it.
#pragma once

#include <cstdint>
#include <string_view>

namespace hawser {

enum class error_position : std::uint8_t {
  first,  ///< for a program that fails to start: what follows is often its usage text
  last,   ///< for a program that has run for a while
};

/// The line that looks like an error message, such as "Error: unknown option" or "npm error code E404", with its
/// continuation lines up to a blank line, a usage text or a stack trace. Empty if no line looks like one. Single pass.
std::string_view find_error_lines(std::string_view log, error_position which) noexcept;

}  // namespace hawser
