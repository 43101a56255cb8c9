// SPDX-License-Identifier: MIT
// Variables in a text of the settings: `${NAME}` and `${NAME:-default}`, and what other hosts write instead.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../config.hpp"
#include "config_dialect.hpp"

namespace hawser::detail {

/// What a text is for: whether a `$` in it may be meant for somebody else.
enum class text_place : std::uint8_t {
  value,         ///< a header, a variable of the environment, an address: nobody looks for variables in it again
  command_line,  ///< a program or an argument: a shell may
};

/// What becomes of a variable that is not set and has no default.
enum class unset_variable : std::uint8_t {
  is_an_error,
  stays,  ///< it is left as it stands, for an entry that nobody uses
};

struct expansion_rules {
  config_dialect dialect = config_dialect::unknown;
  text_place place = text_place::value;
  unset_variable unset = unset_variable::is_an_error;
};

struct expanded_text {
  std::string text{};
  bool complete = true;  ///< false: it has variables that are not set, and stand as they were
};

/// Whether there is a `$NAME` in it with no letter or digit before the `$`.
[[nodiscard]] bool has_bare_variable(std::string_view text) noexcept;

/// As in a shell, the default also stands in for a variable that is set to nothing. `${env:NAME}` is how VS Code writes
/// `${NAME}`. Gemini's `$NAME` and opencode's `{env:NAME}` are variables in their own files. In other files they are
/// an error, because they would be sent as they stand where a secret was meant: `{env:NAME}` everywhere, `$NAME` in
/// values, where no letter or digit stands before it. What a variable holds is taken as it is, `${` and all, so that
/// nobody's environment is read into another place. The error names the variable and has no place; its code is
/// errc::config. What may be a secret of what was put in is added to `hidden`: the value of every variable but those
/// like HOME, and a default that looks like a token.
result<expanded_text> expand(std::string_view text, expansion_rules rules, const variables& env,
                             std::vector<std::string>& hidden);

}  // namespace hawser::detail
