// SPDX-License-Identifier: MIT
// Which of a server's settings are secrets: they are redacted in logs, traces, errors and status.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/redaction.hpp"
#include "settings.hpp"

namespace hawser {

/// Hides the secrets, and what can be told from them: each line of a value of several lines (of at least 8 bytes, and
/// not the first and the last of a PEM key), passwords in URLs, also without their percent codes, what a Basic
/// authorization encodes, the values of cookies (of at least 8 bytes), and token_parts() of values.
void hide_secrets(const server_settings& of, redaction& in);

/// Whether errors must show this variable's value, because users check it first: PATH, HOME and the like.
[[nodiscard]] bool is_known_setting(std::string_view variable) noexcept;

/// The parts of an argument or URL that look like tokens: known issuer prefixes, or long mixed strings. A heuristic
/// that redacts too much rather than too little; good enough for a warning.
[[nodiscard]] std::vector<std::string_view> token_parts(std::string_view text);

/// token_parts() of all arguments, and the values of options like `--api-key` or `--password=`.
[[nodiscard]] std::vector<std::string_view> secret_parts(std::span<const std::string> arguments);

}  // namespace hawser
