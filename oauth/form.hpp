// SPDX-License-Identifier: MIT
// `application/x-www-form-urlencoded`, as queries and the bodies of token requests are written.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hawser {

/// Everything but unreserved characters as %XX: safe in a query, in a body and before base64 (RFC 6749, 2.3.1).
std::string form_encoded(std::string_view text);
/// Appends `name=value`, with `&` where something stands before it.
void append_form(std::string& form, std::string_view name, std::string_view value);
/// The pairs of a query or body, decoded, in their order. Nothing if an escape is broken or there are more than 64.
std::optional<std::vector<std::pair<std::string, std::string>>> read_form(std::string_view form);

}  // namespace hawser
