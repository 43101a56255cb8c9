// SPDX-License-Identifier: MIT
#include "decoded_text.hpp"

#include <algorithm>
#include <array>

namespace hawser::detail {

namespace {

// The value of a hexadecimal digit, or -1.
constexpr auto hex_digits = [] {
  std::array<signed char, 256> all{};
  all.fill(-1);
  for (std::size_t i = 0; i < 10; ++i) all['0' + i] = static_cast<signed char>(i);
  for (std::size_t i = 0; i < 6; ++i) {
    all['a' + i] = static_cast<signed char>(10 + i);
    all['A' + i] = static_cast<signed char>(10 + i);
  }
  return all;
}();

int digit_value(char c) noexcept { return hex_digits[static_cast<unsigned char>(c)]; }

// The letter of a control character's escape; other characters are themselves.
constexpr auto escape_letters = [] {
  std::array<char, 256> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<char>(i);
  all['\b'] = 'b';
  all['\f'] = 'f';
  all['\n'] = 'n';
  all['\r'] = 'r';
  all['\t'] = 't';
  return all;
}();

// Neither a control character with a letter nor the beginning of an escape sequence.
constexpr auto is_plain = [] {
  std::array<bool, 256> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = escape_letters[i] == static_cast<char>(i);
  all['%'] = all['\\'] = false;
  return all;
}();

}  // namespace

decoded_text::decoded_text(std::string_view text) {
  bytes_.reserve(text.size());
  from_.reserve(text.size() + 1);
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    if (!behind_backslash_ && bytes_.size() >= settled_) {
      while (end < text.size() && is_plain[static_cast<unsigned char>(text[end])]) ++end;
    }
    if (end == i) {
      i += take_first(text.substr(i), static_cast<std::uint32_t>(i));
      continue;
    }
    bytes_.append(text, i, end - i);
    for (; i < end; ++i) from_.push_back(static_cast<std::uint32_t>(i));
  }
  from_.push_back(behind_backslash_ ? backslash_at_ : static_cast<std::uint32_t>(text.size()));
}

// Takes the first character or, what take() would make of its characters one by one, the first escape sequence. Returns
// its length.
std::size_t decoded_text::take_first(std::string_view text, std::uint32_t at) {
  if (text[0] == '%' && text.size() >= 3) {
    const int high = digit_value(text[1]);
    const int low = digit_value(text[2]);
    if (high >= 0 && low >= 0) {
      take(static_cast<char>(high * 16 + low), at);
      return 3;
    }
  } else if (text[0] == '\\' && text.size() >= 6 && text[1] == 'u' && text[2] == '0' && text[3] == '0') {
    const int high = digit_value(text[4]);
    const int low = digit_value(text[5]);
    if (high >= 0 && high < 8 && low >= 0) {
      if (behind_backslash_) at = backslash_at_;
      behind_backslash_ = false;
      take(static_cast<char>(high * 16 + low), at);
      return 6;
    }
  }
  take(text[0], at);
  return 1;
}

decoded_text::range decoded_text::origin(range here) const noexcept {
  // An escape sequence may decode to several bytes, of which only the first may belong to the range.
  while (here.end + 1 < from_.size() && from_[here.end] == from_[here.end - 1]) ++here.end;
  return {from_[here.begin], from_[here.end]};
}

bool decoded_text::is_marked(std::size_t at) const noexcept {
  // The later ones, at most four, belong to characters behind `at`.
  for (auto one = marked_.rbegin(); one != marked_.rend() && *one >= at; ++one) {
    if (*one == at) return true;
  }
  return false;
}

void decoded_text::cut(std::size_t size) {
  bytes_.resize(size);
  from_.resize(size);
  while (!marked_.empty() && marked_.back() >= size) marked_.pop_back();
}

// Takes one decoded character. Each turn of the loop shortens what is there, so that the whole is linear.
void decoded_text::take(char c, std::uint32_t at) {
  for (;;) {
    if (c == '\\') {
      if (!behind_backslash_) backslash_at_ = at;
      behind_backslash_ = true;
      return;
    }
    const bool marked = behind_backslash_;
    if (marked) at = backslash_at_;
    behind_backslash_ = false;
    c = escape_letters[static_cast<unsigned char>(c)];
    const std::size_t here = bytes_.size();
    bytes_ += c;
    from_.push_back(at);
    if (c == '%' || (c == 'u' && marked)) {
      if (marked) marked_.push_back(static_cast<std::uint32_t>(here));
      settled_ = std::max(settled_, here + (c == '%' ? 3 : 5));
      return;
    }
    const int last = digit_value(c);
    if (last < 0) return;
    if (here >= 2 && bytes_[here - 2] == '%' && digit_value(bytes_[here - 1]) >= 0) {
      const std::size_t begin = here - 2;
      c = static_cast<char>(digit_value(bytes_[here - 1]) * 16 + last);
      at = from_[begin];
      behind_backslash_ = is_marked(begin);
      if (behind_backslash_) backslash_at_ = at;
      cut(begin);
      continue;
    }
    if (here < 4 || bytes_[here - 4] != 'u' || !is_marked(here - 4)) return;
    std::uint32_t unit = 0;
    for (std::size_t i = here - 3; i <= here; ++i) {
      const int digit = digit_value(bytes_[i]);
      if (digit < 0) return;
      unit = unit * 16 + static_cast<std::uint32_t>(digit);
    }
    const std::size_t begin = here - 4;
    at = from_[begin];
    if (unit >= 0x80) {
      append_unit(unit, begin);
      return;
    }
    cut(begin);
    c = static_cast<char>(unit);
  }
}

// Replaces what begins at `begin` by a UTF-16 code unit in UTF-8. The second half of a surrogate pair joins the first,
// which was appended as if it were a character.
void decoded_text::append_unit(std::uint32_t unit, std::size_t begin) {
  std::uint32_t at = from_[begin];
  std::uint32_t point = unit;
  const auto byte = [&](std::size_t back) { return static_cast<unsigned char>(bytes_[begin - back]); };
  if (unit >= 0xDC00 && unit < 0xE000 && begin >= 3 && byte(3) == 0xED && byte(2) >= 0xA0 && byte(2) < 0xB0) {
    const std::uint32_t high = 0xD000U | ((byte(2) & 0x3FU) << 6U) | (byte(1) & 0x3FU);
    point = 0x10000 + ((high - 0xD800) << 10U) + (unit - 0xDC00);
    begin -= 3;
    at = from_[begin];
  }
  cut(begin);
  const auto append = [&](std::uint32_t value) {
    bytes_ += static_cast<char>(value);
    from_.push_back(at);
  };
  if (point < 0x800) {
    append(0xC0U | (point >> 6U));
  } else if (point < 0x10000) {
    append(0xE0U | (point >> 12U));
    append(0x80U | ((point >> 6U) & 0x3FU));
  } else {
    append(0xF0U | (point >> 18U));
    append(0x80U | ((point >> 12U) & 0x3FU));
    append(0x80U | ((point >> 6U) & 0x3FU));
  }
  append(0x80U | (point & 0x3FU));
}

}  // namespace hawser::detail
