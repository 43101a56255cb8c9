// SPDX-License-Identifier: MIT
#include "http_fields.hpp"

#include <algorithm>

#include "../../runtime/detail/check.hpp"

namespace hawser {

namespace {

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool token_character(char c) noexcept {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const bool digit = c >= '0' && c <= '9';
  return letter || digit || (c != '\0' && std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos);
}

bool blank(char c) noexcept { return c == ' ' || c == '\t'; }

}  // namespace

std::string_view trim_blanks(std::string_view text) noexcept {
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::string_view> http_fields::find(std::string_view name) const noexcept {
  for (const http_field& field : all_)
    if (equal_ignoring_case(field.name, name)) return field.value;
  return std::nullopt;
}

std::size_t http_fields::count(std::string_view name) const noexcept {
  std::size_t found = 0;
  for (const http_field& field : all_) found += equal_ignoring_case(field.name, name) ? 1 : 0;
  return found;
}

void http_fields::set(std::string name, std::string value) {
  std::erase_if(all_, [&](const http_field& field) { return equal_ignoring_case(field.name, name); });
  add(std::move(name), std::move(value));
}

bool valid_field_name(std::string_view name) noexcept {
  return !name.empty() && std::all_of(name.begin(), name.end(), token_character);
}

bool valid_field_value(std::string_view value) noexcept {
  if (value.empty()) return true;
  if (blank(value.front()) || blank(value.back())) return false;
  return std::all_of(value.begin(), value.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7F);
  });
}

void append_field(std::string& head, std::string_view name, std::string_view value) {
  // A line end inside a field would allow request smuggling; this is the last check before the wire.
  detail::require(valid_field_name(name) && valid_field_value(value), "append_field: not a header field");
  head.append(name).append(": ").append(value).append("\r\n");
}

std::string_view media_type(std::string_view content_type) noexcept {
  return trim_blanks(content_type.substr(0, content_type.find(';')));
}

bool has_media_type(const http_fields& fields, std::string_view type) noexcept {
  const auto content_type = fields.find("Content-Type");
  return content_type && equal_ignoring_case(media_type(*content_type), type);
}

bool has_list_element(const http_fields& fields, std::string_view name, std::string_view word) noexcept {
  for (const http_field& field : fields.all()) {
    if (!equal_ignoring_case(field.name, name)) continue;
    std::string_view rest = field.value;
    while (true) {
      const std::size_t comma = rest.find(',');
      if (equal_ignoring_case(trim_blanks(rest.substr(0, comma)), word)) return true;
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return false;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  return a == b ||  // the usual case: the same spelling
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace hawser
