// SPDX-License-Identifier: MIT
#include "json_validator.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "../detail/is_digit.hpp"
#include "detail/plain_run.hpp"

namespace hawser {

namespace {

int hex(char c) noexcept {
  if (detail::is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The kind of container that is open at each depth. Plain words rather than std::bitset: the compiler keeps the one in
// use in a register.
class open_containers {
 public:
  void push(std::size_t depth, bool object) noexcept {
    std::uint64_t& word = words_[depth / 64];
    const std::uint64_t bit = std::uint64_t{1} << (depth % 64);
    word = object ? word | bit : word & ~bit;
  }
  [[nodiscard]] bool object(std::size_t depth) const noexcept { return (words_[depth / 64] >> (depth % 64) & 1U) != 0; }

 private:
  std::array<std::uint64_t, json_validator::deepest / 64 + 1> words_;  // NOLINT: each bit is written before it is read
};

}  // namespace

json_validator::json_validator(const char* end, json_limits limits) noexcept : end_(end), limits_(limits) {
  limits_.max_depth = std::min(limits_.max_depth, deepest);
}

const char* json_validator::value(const char* p, const std::size_t depth) noexcept {
  open_containers open;
  std::array<std::uint32_t, deepest + 1> members;  // NOLINT: of open objects; each is written before it is read
  std::size_t level = depth;
  while (true) {
    if (p == end_) return refuse("the text ends where a value should be");
    if (++values_ > limits_.max_values) return refuse("too many values", errc::too_large);
    const char first = *p;
    if (first == '{' || first == '[') {
      if (++level > limits_.max_depth) return refuse("nested too deeply", errc::too_large);
      const bool object = first == '{';
      open.push(level, object);
      p = space(p + 1);
      if (p == end_) return refuse("the text ends inside a container");
      if (*p != (object ? '}' : ']')) {
        if (object) p = key(p);
        if (p == nullptr) return nullptr;
        members[level] = 1;
        continue;
      }
      ++p;
      --level;
    } else {
      p = scalar(p);
      if (p == nullptr) return nullptr;
    }
    // After a value: leaves the containers that end here and moves to the next value.
    while (true) {
      if (level == depth) return p;
      p = space(p);
      if (p == end_) return refuse("the text ends inside a container");
      const bool object = open.object(level);
      if (*p == ',') {
        p = space(p + 1);
        if (object) {
          p = key(p);
          if (++members[level] > large_object) has_large_object_ = true;
        }
        if (p == nullptr) return nullptr;
        break;
      }
      if (*p != (object ? '}' : ']')) return refuse("a comma or the end of a container is missing");
      ++p;
      --level;
    }
  }
}

// Moves to the first member or element of a container.
const char* json_validator::enter(const char* p, std::size_t depth) noexcept {
  if (++values_ > limits_.max_values) return refuse("too many values", errc::too_large);
  if (depth + 1 > limits_.max_depth) return refuse("nested too deeply", errc::too_large);
  p = space(p + 1);
  if (p == end_) return refuse("the text ends inside a container");
  return p;
}

// After a member or an element: moves to its comma, or to the end of the container.
const char* json_validator::next(const char* p, char closing) noexcept {
  if (p == nullptr) return nullptr;
  p = space(p);
  if (p == end_) return refuse("the text ends inside a container");
  if (*p != ',' && *p != closing) return refuse("a comma or the end of a container is missing");
  return p;
}

const char* json_validator::key(const char* p) noexcept {
  if (p == end_ || *p != '"') return refuse("a member has no name");
  p = string(p + 1);
  if (p == nullptr) return nullptr;
  p = space(p);
  if (p == end_ || *p != ':') return refuse("a colon is missing");
  return space(p + 1);
}

const char* json_validator::scalar(const char* p) noexcept {
  switch (*p) {
    case '"': return string(p + 1);
    case 't': return literal(p, "true");
    case 'f': return literal(p, "false");
    case 'n': return literal(p, "null");
    default: return number(p);
  }
}

const char* json_validator::literal(const char* p, std::string_view word) noexcept {
  if (static_cast<std::size_t>(end_ - p) < word.size() || std::memcmp(p, word.data(), word.size()) != 0)
    return refuse("a word that is not JSON");
  return p + word.size();
}

const char* json_validator::number(const char* p) noexcept {
  const auto digits = [this](const char* at) {
    while (at != end_ && detail::is_digit(*at)) ++at;
    return at;
  };
  if (*p == '-') ++p;
  if (p == end_ || !detail::is_digit(*p)) return refuse("not a JSON value");
  p = *p == '0' ? p + 1 : digits(p);
  if (p != end_ && *p == '.') {
    ++p;
    if (p == end_ || !detail::is_digit(*p)) return refuse("a number without digits behind its point");
    p = digits(p);
  }
  if (p != end_ && (*p == 'e' || *p == 'E')) {
    ++p;
    if (p != end_ && (*p == '+' || *p == '-')) ++p;
    if (p == end_ || !detail::is_digit(*p)) return refuse("a number without digits in its exponent");
    p = digits(p);
  }
  return p;
}

const char* json_validator::string(const char* p) noexcept {
  while (true) {
    p = detail::plain_run(p, end_);
    if (p == end_) return refuse("the text ends inside a string");
    const auto c = static_cast<unsigned char>(*p);
    if (c == '"') return p + 1;
    if (c < 0x20) return refuse("a control character inside a string");
    p = c == '\\' ? escape(p + 1) : multibyte(p);
    if (p == nullptr) return nullptr;
  }
}

const char* json_validator::escape(const char* p) noexcept {
  if (p == end_) return refuse("the text ends inside a string");
  switch (*p) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't': return p + 1;
    case 'u': return unicode_escape(p + 1);
    default: return refuse("an escape that is not JSON");
  }
}

// A lone surrogate represents no character, so a text with one could not be forwarded as UTF-8.
const char* json_validator::unicode_escape(const char* p) noexcept {
  const auto unit = [this](const char* at) {
    int value = 0;
    if (end_ - at < 4) return -1;
    for (int i = 0; i < 4; ++i) {
      const int h = hex(at[i]);
      if (h < 0) return -1;
      value = value * 16 + h;
    }
    return value;
  };
  const int first = unit(p);
  if (first < 0) return refuse("an escape without four hexadecimal digits");
  if (first < 0xD800 || first > 0xDFFF) return p + 4;
  if (first > 0xDBFF || end_ - p < 10 || p[4] != '\\' || p[5] != 'u') return refuse("half of a surrogate pair");
  const int second = unit(p + 6);
  if (second < 0xDC00 || second > 0xDFFF) return refuse("half of a surrogate pair");
  return p + 10;
}

// Unicode's table of well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
const char* json_validator::multibyte(const char* p) noexcept {
  const auto at = [p](int i) { return static_cast<unsigned char>(p[i]); };
  const unsigned char lead = at(0);
  const int length = lead >= 0xC2 && lead <= 0xDF   ? 2
                     : (lead & 0xF0) == 0xE0        ? 3
                     : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                    : 0;
  if (length == 0 || end_ - p < length) return refuse("not UTF-8");
  const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (at(1) < low || at(1) > high) return refuse("not UTF-8");
  for (int i = 2; i < length; ++i) {
    if ((at(i) & 0xC0) != 0x80) return refuse("not UTF-8");
  }
  return p + length;
}

result<void> validate_json(std::string_view text, json_limits limits) {
  json_validator check{text.data() + text.size(), limits};
  const char* p = check.value(check.space(text.data()), 0);
  if (p != nullptr && check.space(p) != text.data() + text.size())
    p = check.refuse("something stands behind the value");
  if (p != nullptr) return {};
  return error{.code = check.fault_code(), .what = check.fault()};
}

}  // namespace hawser
