// SPDX-License-Identifier: MIT
// HTTP header fields as values, and the grammar of their names and values. Does not interpret individual fields.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hawser {

struct http_field {
  std::string name;
  std::string value;

  friend bool operator==(const http_field&, const http_field&) = default;
};

/// Keeps the order of the fields, and duplicates. Names are compared ignoring case.
class http_fields {
 public:
  http_fields() = default;
  explicit http_fields(std::vector<http_field> all) noexcept : all_(std::move(all)) {}

  /// The first field with this name.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;
  [[nodiscard]] std::size_t count(std::string_view name) const noexcept;
  void add(std::string name, std::string value) { all_.push_back({std::move(name), std::move(value)}); }
  /// Replaces every field with this name.
  void set(std::string name, std::string value);
  void clear() noexcept { all_.clear(); }
  [[nodiscard]] const std::vector<http_field>& all() const noexcept { return all_; }

  friend bool operator==(const http_fields&, const http_fields&) = default;

 private:
  std::vector<http_field> all_;
};

/// RFC 9110, "Tokens".
bool valid_field_name(std::string_view name) noexcept;
/// RFC 9110, "Field Values": visible characters, space, tab and bytes above 127; no white space at either end. The
/// empty value is valid.
bool valid_field_value(std::string_view value) noexcept;
/// Appends `Name: value` and a line end. Both must be valid: untrusted input is checked before.
void append_field(std::string& head, std::string_view name, std::string_view value);

/// Removes spaces and tabs at both ends.
std::string_view trim_blanks(std::string_view text) noexcept;
/// The media type without parameters: `text/html` of `text/html; charset=utf-8`. Compare with equal_ignoring_case.
std::string_view media_type(std::string_view content_type) noexcept;
/// Whether the Content-Type field has this media type, ignoring case and parameters.
bool has_media_type(const http_fields& fields, std::string_view type) noexcept;
/// Whether `word` is one of the comma-separated elements of the field, in any of its lines, ignoring case.
bool has_list_element(const http_fields& fields, std::string_view name, std::string_view word) noexcept;
/// Ignores the case of ASCII letters only.
bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept;

}  // namespace hawser
