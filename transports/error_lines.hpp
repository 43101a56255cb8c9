// SPDX-License-Identifier: MIT
// Finds the lines in the log of a program that say what went wrong. A guess for people, by what programs usually
// write; nothing is decided by it.
#pragma once

#include <cstdint>
#include <string_view>

namespace hawser {

enum class error_position : std::uint8_t {
  first,  ///< of a program that does not start: what follows is often its usage
  last,   ///< of one that has run for a while
};

/// The line that looks like an error message, such as "Error: unknown option" or "npm error code E404", with the lines
/// that continue it, up to a blank line, a usage text or a stack trace. Empty if no line looks like one. One pass.
std::string_view error_lines(std::string_view log, error_position which) noexcept;

}  // namespace hawser
