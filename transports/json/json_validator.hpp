// SPDX-License-Identifier: MIT
// Checks that bytes are one JSON value, in one pass and without building anything: grammar, strings, UTF-8, depth and
// number of values. Accepted text can be forwarded unchanged and walked by json_text.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../runtime/error.hpp"

namespace hawser {

struct json_limits {
  std::size_t max_depth = 128;  ///< of nested objects and arrays; at most 1024
  std::size_t max_values = 2'000'000;
};

/// The default where a tree is built: a value takes up to about 200 bytes in one.
inline constexpr json_limits tree_limits{.max_values = 500'000};

class json_validator {
 public:
  static constexpr std::size_t deepest = 1024;
  /// An object with more members is large: see json_tree.hpp.
  static constexpr std::uint32_t large_object = 96;

  json_validator(const char* end, json_limits limits) noexcept;

  /// `p` is at the first character of a value. Returns the position after it, or null; fault() then says why. `depth`
  /// is the number of enclosing containers.
  const char* value(const char* p, std::size_t depth) noexcept;
  /// The same for an object that is walked while it is checked: `f(name, value)` gets each member's name as written,
  /// without its quotes, and the start of its value, or the end of the text; it returns the end of the value, from
  /// value() or by walking it, with `depth + 1`, or null. For large texts, in which no byte should be read twice.
  template <class F>
  const char* object(const char* p, std::size_t depth, F f);
  /// The same for an array and `f(value)`.
  template <class F>
  const char* array(const char* p, std::size_t depth, F f);
  /// `p` is after the opening quote. Returns the position after the closing one, or null.
  const char* string(const char* p) noexcept;
  /// `p` is at a non-ASCII byte. Returns the position after the character, or null if it is not UTF-8.
  const char* multibyte(const char* p) noexcept;
  [[nodiscard]] const char* space(const char* p) const noexcept {
    while (p != end_ && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) ++p;
    return p;
  }

  /// How many it has come across.
  [[nodiscard]] std::size_t values() const noexcept { return values_; }
  /// Whether value() has come across a large object.
  [[nodiscard]] bool has_large_object() const noexcept { return has_large_object_; }
  [[nodiscard]] const char* fault() const noexcept { return fault_; }
  [[nodiscard]] errc fault_code() const noexcept { return code_; }
  std::nullptr_t refuse(const char* why, errc code = errc::parse) noexcept {
    fault_ = why;
    code_ = code;
    return nullptr;
  }

 private:
  const char* enter(const char* p, std::size_t depth) noexcept;
  const char* next(const char* p, char closing) noexcept;
  const char* scalar(const char* p) noexcept;
  const char* number(const char* p) noexcept;
  const char* literal(const char* p, std::string_view word) noexcept;
  const char* key(const char* p) noexcept;
  const char* escape(const char* p) noexcept;
  const char* unicode_escape(const char* p) noexcept;

  const char* end_;
  json_limits limits_;
  std::size_t values_ = 0;
  const char* fault_ = nullptr;
  errc code_ = errc::parse;
  bool has_large_object_ = false;
};

template <class F>
const char* json_validator::object(const char* p, std::size_t depth, F f) {
  p = enter(p, depth);
  if (p != nullptr && *p == '}') return p + 1;
  while (p != nullptr) {
    const char* name = p;
    p = key(p);
    if (p == nullptr) break;
    // Only white space and the colon are between its closing quote and the value.
    const char* quote = p - 1;
    while (*quote != '"') --quote;
    p = next(f(std::string_view{name + 1, quote}, p), '}');
    if (p != nullptr && *p == '}') return p + 1;
    if (p != nullptr) p = space(p + 1);
  }
  return nullptr;
}

template <class F>
const char* json_validator::array(const char* p, std::size_t depth, F f) {
  p = enter(p, depth);
  if (p != nullptr && *p == ']') return p + 1;
  while (p != nullptr) {
    if (p == end_) return refuse("the text ends where a value should be");
    p = next(f(p), ']');
    if (p != nullptr && *p == ']') return p + 1;
    if (p != nullptr) p = space(p + 1);
  }
  return nullptr;
}

/// Checks that the whole text is one JSON value, surrounded by white space at most.
result<void> validate_json(std::string_view text, json_limits limits = {});

}  // namespace hawser
