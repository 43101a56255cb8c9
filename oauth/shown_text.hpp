// SPDX-License-Identifier: MIT
// What an authorization server says, made fit to be shown to a person: one short line without anything that controls,
// hides or reorders. Terminals are escaped for once more, elsewhere.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "../runtime/redaction.hpp"

namespace hawser {

/// At most `most_bytes` of it, then "...", never a part of a character. What is not UTF-8 becomes a question mark.
std::string shown_text(std::string_view said, std::size_t most_bytes = 200);

/// The same for what may say again what it was told: redacted before it is cut.
std::string shown_text(std::string_view said, const redaction& hidden, std::size_t most_bytes = 200);

/// A configured address without its query, whose values may be keys.
std::string shown_url(std::string_view url);

}  // namespace hawser
