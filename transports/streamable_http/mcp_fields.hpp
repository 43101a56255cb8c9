// SPDX-License-Identifier: MIT
// The header fields that MCP over HTTP derives from a message since 2026-07-28, so that intermediaries can route
// without reading bodies: method, name, and the arguments that a tool's schema marks.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/error.hpp"

namespace hawser {

/// `params` is the JSON of the message's params, or empty.
void append_modern_fields(std::string& head, std::string_view version, std::string_view method,
                          std::string_view params);

/// Encodes a text as a field value: unchanged if that is safe, otherwise in the Base64 form that servers decode.
std::string encode_field_value(std::string_view text);
/// Decodes such a value; nullopt if its Base64 is invalid.
std::optional<std::string> decode_field_value(std::string_view value);
/// The member of the params that names the target of a request with this method; empty if there is none.
std::string_view name_member(std::string_view method) noexcept;

/// The arguments of a tool that are sent in header fields of their own, as the `x-mcp-header` marks of its input schema
/// require.
class header_arguments {
 public:
  /// An error says why the tool must not be used. Precondition: valid JSON.
  static result<header_arguments> read(std::string_view input_schema);

  [[nodiscard]] bool empty() const noexcept { return properties_.empty(); }
  /// The header lines of a call with these arguments (a JSON object, or empty). errc::config names an argument that
  /// cannot be sent. Precondition: valid JSON.
  [[nodiscard]] result<std::string> fields(std::string_view arguments) const;

 private:
  // A tree, so that a schema and the arguments of a call are searched once, not once per mark.
  struct property {
    std::string field{};                                      ///< Mcp-Param-…; empty if only nested ones are marked
    std::map<std::string, std::size_t, std::less<>> inner{};  ///< by name; indexes into properties_
  };
  class reader;
  class writer;

  std::vector<property> properties_;  ///< the first one is the arguments object; empty without marks
};

}  // namespace hawser
