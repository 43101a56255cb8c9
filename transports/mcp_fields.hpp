// SPDX-License-Identifier: MIT
// The header fields that MCP over HTTP derives from a message since 2026-07-28, so that what stands between can route
// without reading bodies: method, name, and the arguments that a tool's schema marks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../runtime/error.hpp"

namespace hawser {

/// `params`: the JSON of the message, or empty.
void append_modern_fields(std::string& to, std::string_view version, std::string_view method, std::string_view params);

/// A text as the value of a field: as it is where that is safe, else in the Base64 form that servers decode.
std::string field_text(std::string_view text);
/// What such a value means; nothing where its Base64 is none.
std::optional<std::string> text_of_field(std::string_view value);
/// Which member of the params names what a request of this method is about; empty where none does.
std::string_view name_member(std::string_view method) noexcept;

/// One argument of a tool that goes into a field of its own.
struct header_argument {
  std::string field;              ///< Mcp-Param-…
  std::vector<std::string> path;  ///< names of properties, from the arguments inward
  friend bool operator==(const header_argument&, const header_argument&) = default;
};

/// What the `x-mcp-header` marks of a tool's input schema ask for. An error says why the tool must not be used.
/// Precondition: valid JSON.
result<std::vector<header_argument>> header_arguments(std::string_view input_schema);

/// The lines for a call with these arguments (a JSON object, or empty): errc::config names an argument that cannot be
/// carried.
result<std::string> argument_fields(const std::vector<header_argument>& marked, std::string_view arguments);

}  // namespace hawser
