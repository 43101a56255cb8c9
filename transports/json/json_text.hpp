// SPDX-License-Identifier: MIT
// Traverses valid JSON as text: members and elements as byte ranges, strings decoded on demand. For code that needs a
// part of a message without a tree of it. Precondition everywhere: validate_json() accepts the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "detail/plain_run.hpp"

namespace hawser {

namespace detail {

inline const char* skip_space(const char* p) noexcept {
  while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t') ++p;
  return p;
}
/// From after the opening quote to after the closing one.
inline const char* skip_string(const char* p, const char* end) noexcept {
  while (true) {
    p = plain_run(p, end);
    if (*p == '"') return p + 1;
    p += *p == '\\' ? 2 : 1;
  }
}
const char* skip_value(const char* p, const char* end) noexcept;

}  // namespace detail

/// Walks the object that starts at `p` and returns where it ends. `f(name, value)` gets each member's name as written,
/// without its quotes, and the start of its value; it returns the end of the value, from skip_value() or by walking it,
/// or null to stop, and then null is returned. For large texts, in which no byte should be read twice.
template <class F>
const char* walk_object(const char* p, const char* end, F f) {
  p = detail::skip_space(p + 1);
  while (*p == '"') {
    const char* name = p + 1;
    p = detail::skip_string(name, end);
    const std::string_view raw_name{name, static_cast<std::size_t>(p - 1 - name)};
    p = f(raw_name, detail::skip_space(detail::skip_space(p) + 1));
    if (p == nullptr) return nullptr;
    p = detail::skip_space(p);
    if (*p == ',') p = detail::skip_space(p + 1);
  }
  return p + 1;
}

/// The same for an array and `f(value)`.
template <class F>
const char* walk_array(const char* p, F f) {
  p = detail::skip_space(p + 1);
  while (*p != ']') {
    p = f(p);
    if (p == nullptr) return nullptr;
    p = detail::skip_space(p);
    if (*p == ',') p = detail::skip_space(p + 1);
  }
  return p + 1;
}

/// Calls `f(name, value)` for every member of an object, both as written, the name without its quotes; `f` returns
/// whether to continue.
template <class F>
void for_each_member(std::string_view object, F f) {
  const char* end = object.data() + object.size();
  walk_object(detail::skip_space(object.data()), end, [&](std::string_view name, const char* value) {
    const char* behind = detail::skip_value(value, end);
    return f(name, std::string_view{value, static_cast<std::size_t>(behind - value)}) ? behind : nullptr;
  });
}

/// The same for the elements of an array.
template <class F>
void for_each_element(std::string_view array, F f) {
  const char* end = array.data() + array.size();
  walk_array(detail::skip_space(array.data()), [&](const char* value) {
    const char* behind = detail::skip_value(value, end);
    return f(std::string_view{value, static_cast<std::size_t>(behind - value)}) ? behind : nullptr;
  });
}

/// The value of the last member with this name, as in other parsers; empty if there is none or this is not an object.
std::string_view find_member(std::string_view object, std::string_view name);

/// Whether a name as written in the text equals `name`: escapes are decoded, nothing is case-folded.
bool same_name(std::string_view raw, std::string_view name);
/// Whether this object has no more members than that; looks at no more of them. True for what is no object.
bool members_within(std::string_view object, std::size_t limit);
/// The same for the elements of an array.
bool elements_within(std::string_view array, std::size_t limit);

/// Decodes the escapes of a string without its quotes.
std::string unescaped(std::string_view raw);
/// Decodes a JSON string with its quotes; nullopt for any other kind of value.
std::optional<std::string> text_of(std::string_view json);
/// Whether the value is a number, of any size.
inline bool is_number(std::string_view json) noexcept {
  return !json.empty() && (json.front() == '-' || (json.front() >= '0' && json.front() <= '9'));
}
inline bool is_object(std::string_view json) noexcept { return json.starts_with('{'); }
/// An integer without fraction or exponent that fits; otherwise nullopt.
std::optional<std::int64_t> integer_of(std::string_view json) noexcept;
/// A number in the range of a double, not necessarily exact; otherwise nullopt.
std::optional<double> number_of(std::string_view json) noexcept;

/// Appends a text as a JSON string with its quotes. Invalid UTF-8 becomes U+FFFD.
void append_quoted(std::string& to, std::string_view text);
std::string json_string(std::string_view text);

}  // namespace hawser
