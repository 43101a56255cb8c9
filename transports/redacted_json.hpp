// SPDX-License-Identifier: MIT
// Redaction of JSON that stays JSON.
#pragma once

#include <string>
#include <string_view>

#include "../runtime/redaction.hpp"

namespace hawser {

/// Applies the redaction to each JSON string unescaped, because escapes could hide a secret, and then to the remaining
/// text. The result is valid JSON again; if a redaction outside of a string breaks it, the whole text becomes one JSON
/// string. Precondition: validate_json() accepts the text.
std::string redacted_json(const redaction& hidden, std::string_view json);

}  // namespace hawser
