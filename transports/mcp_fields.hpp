// SPDX-License-Identifier: MIT
// The header fields that MCP over HTTP derives from a message since 2026-07-28, so that what stands between can route
// without reading bodies: method, name, and the arguments that a tool's schema marks.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
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

/// The arguments of a tool that go into header fields of their own, as the `x-mcp-header` marks of its input schema
/// ask.
class header_arguments {
 public:
  /// An error says why the tool must not be used. Precondition: valid JSON.
  static result<header_arguments> read(std::string_view input_schema);

  [[nodiscard]] bool empty() const noexcept { return properties_.empty(); }
  /// The lines for a call with these arguments (a JSON object, or empty): errc::config names an argument that cannot be
  /// carried. Precondition: valid JSON.
  [[nodiscard]] result<std::string> fields(std::string_view arguments) const;

 private:
  // A tree, so that neither a schema nor the arguments of a call are looked through once for each mark.
  struct property {
    std::string field{};                                      ///< Mcp-Param-…, or empty if only inner ones are marked
    std::map<std::string, std::size_t, std::less<>> inner{};  ///< by name; places in properties_
  };
  class reader;
  class writer;

  std::vector<property> properties_;  ///< the first one is the arguments themselves; none without marks
};

}  // namespace hawser
