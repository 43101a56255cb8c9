// SPDX-License-Identifier: MIT
// Header fields of HTTP as values, and the grammar of their names and values. What a field means is the business of
// whoever reads it.
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

/// Keeps the order in which the fields came, and duplicates. Names are found whatever their case.
class http_fields {
 public:
  http_fields() = default;
  explicit http_fields(std::vector<http_field> all) noexcept : all_(std::move(all)) {}

  /// The first of that name.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;
  [[nodiscard]] std::size_t count(std::string_view name) const noexcept;
  void add(std::string name, std::string value) { all_.push_back({std::move(name), std::move(value)}); }
  /// Takes the place of every field of that name.
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
/// empty value is one.
bool valid_field_value(std::string_view value) noexcept;
/// Appends `Name: value` and the line's end. Both must be valid: whoever takes them from outside has refused others.
void append_field(std::string& head, std::string_view name, std::string_view value);

/// Without the spaces and tabs at both ends.
std::string_view trim_blanks(std::string_view text) noexcept;
/// `text/html; charset=utf-8` without what follows the semicolon; to be compared with equal_ignoring_case.
std::string_view media_type(std::string_view content_type) noexcept;
/// Whether one of the comma-separated words of the field, in any of its lines, is `word`, whatever its case.
bool has_word(const http_fields& fields, std::string_view name, std::string_view word) noexcept;
/// Of ASCII letters only.
bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept;

}  // namespace hawser
