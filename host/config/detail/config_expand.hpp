// SPDX-License-Identifier: MIT
// Expands variables in configuration text: `${NAME}`, `${NAME:-default}`, and the syntax of other hosts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../config.hpp"
#include "config_dialect.hpp"

namespace hawser::detail {

/// What a text is used for: determines whether a `$` may be meant for a shell.
enum class text_place : std::uint8_t {
  value,         ///< a header, an environment variable, a URL: not interpreted again
  command_line,  ///< a program or an argument: a shell may interpret it
};

/// What to do with an unset variable without a default.
enum class unset_variable : std::uint8_t {
  is_an_error,
  stays,  ///< leave the text unchanged, for a disabled entry
};

struct expansion_rules {
  config_dialect dialect = config_dialect::unknown;
  text_place place = text_place::value;
  unset_variable unset = unset_variable::is_an_error;
};

struct expanded_text {
  std::string text{};
  bool complete = true;  ///< false: it contains unset variables, left unchanged
};

/// Whether it contains a `$NAME` that is not preceded by a letter or digit.
[[nodiscard]] bool has_bare_variable(std::string_view text) noexcept;

/// As in a shell, the default also replaces an empty value. `${env:NAME}` is VS Code's form of `${NAME}`. Gemini's
/// `$NAME` and opencode's `{env:NAME}` are variables in their own files. In other files they are errors, because the
/// literal text would be sent instead of a secret: `{env:NAME}` everywhere, `$NAME` in values if not preceded by a
/// letter or digit. Values are not expanded again, even if they contain `${`, so that no other part of the environment
/// is exposed. The error is errc::config; it names the variable, but no location. Inserted values that may be secret
/// are added to `hidden`: all variables except those like HOME, and a default that looks like a token.
result<expanded_text> expand(std::string_view text, expansion_rules rules, const variable_lookup& env,
                             std::vector<std::string>& hidden);

}  // namespace hawser::detail
