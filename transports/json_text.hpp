// SPDX-License-Identifier: MIT
// Walking JSON that is known to be valid, as text: members and elements by their bytes, strings decoded on demand. For
// the few places that need a piece of a message and no tree of it. Precondition everywhere: validate_json() accepts it.
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
/// From behind the opening quote to behind the closing one.
inline const char* skip_string(const char* p, const char* end) noexcept {
  while (true) {
    p = plain_run(p, end);
    if (*p == '"') return p + 1;
    p += *p == '\\' ? 2 : 1;
  }
}
const char* skip_value(const char* p, const char* end) noexcept;

}  // namespace detail

/// Walks an object that begins at `p` and returns where it ends. `f(name, value)` gets each member's name as it stands
/// in the text, without its quotes, and where its value begins; it returns where that ends, by skip_value() or by
/// walking it, or null to stop: then null is returned. For large texts, of which no byte should be looked at twice.
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

/// Calls `f(name, value)` for every member of an object, both as they stand in the text, the name without its quotes;
/// `f` returns whether to go on.
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

/// The value of the last member of that name, as other parsers take it; empty if there is none or this is no object.
std::string_view find_member(std::string_view object, std::string_view name);

/// Whether a name as it stands in the text means this one: escapes are understood, nothing else is folded.
bool same_name(std::string_view raw, std::string_view name);
/// Whether this object has no more members than that; looks at no more of them. True for what is no object.
bool members_within(std::string_view object, std::size_t limit);

/// What a string, without its quotes, means.
std::string unescaped(std::string_view raw);
/// The text of a JSON string with its quotes; nothing if it is another kind of value.
std::optional<std::string> text_of(std::string_view json);
/// Whether the value is a number, of any size.
inline bool is_number(std::string_view json) noexcept {
  return !json.empty() && (json.front() == '-' || (json.front() >= '0' && json.front() <= '9'));
}
inline bool is_object(std::string_view json) noexcept { return json.starts_with('{'); }
/// A number without fraction or exponent that fits; nothing else.
std::optional<std::int64_t> integer_of(std::string_view json) noexcept;
/// A number that a double can hold, if not exactly.
std::optional<double> number_of(std::string_view json) noexcept;

/// Appends a text as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
void append_quoted(std::string& to, std::string_view text);
std::string json_string(std::string_view text);

}  // namespace hawser
