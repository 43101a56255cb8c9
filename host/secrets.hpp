// SPDX-License-Identifier: MIT
// Which of a server's settings are secrets: they are taken out of logs, traces, errors and what is shown of the server.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../runtime/redaction.hpp"
#include "settings.hpp"

namespace hawser {

void hide_secrets(const server_settings& of, redaction& in);

/// Whether this variable is one that errors have to show, because people look there first: PATH, HOME and the like.
[[nodiscard]] bool is_known_setting(std::string_view variable) noexcept;

/// The parts of an argument or a URL that look like tokens: by the prefixes that issuers give them, or long and mixed.
/// A guess, good for a warning and for hiding more rather than less.
[[nodiscard]] std::vector<std::string_view> token_parts(std::string_view text);

/// The same of all arguments, and what stands behind an option like `--api-key` or `--password=`.
[[nodiscard]] std::vector<std::string_view> secret_parts(std::span<const std::string> arguments);

}  // namespace hawser
