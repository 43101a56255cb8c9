// SPDX-License-Identifier: MIT
#include "code_points.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

namespace hawser::cli {

namespace {

struct range {
  char32_t first;
  char32_t last;
};

constexpr std::array hidden{
    range{0x0000, 0x001f},    // C0
    range{0x007f, 0x009f},    // DEL and C1
    range{0x00ad, 0x00ad},    // soft hyphen
    range{0x034f, 0x034f},    // combining grapheme joiner
    range{0x061c, 0x061c},    // Arabic letter mark
    range{0x115f, 0x1160},    // Hangul fillers
    range{0x17b4, 0x17b5},    // Khmer inherent vowels
    range{0x180b, 0x180f},    // Mongolian selectors and vowel separator
    range{0x200b, 0x200f},    // zero width, directional marks
    range{0x2028, 0x202e},    // line and paragraph separator, embeddings, overrides
    range{0x2060, 0x206f},    // word joiner, invisible operators, isolates, deprecated formatting
    range{0x3164, 0x3164},    // Hangul filler
    range{0xd800, 0xdfff},    // surrogates, which are not valid in UTF-8
    range{0xfe00, 0xfe0d},    // variation selectors except the two for emoji
    range{0xfeff, 0xfeff},    // byte order mark
    range{0xffa0, 0xffa0},    // half-width Hangul filler
    range{0xfff0, 0xfffb},    // interlinear annotation and the unassigned range before it
    range{0x1bca0, 0x1bca3},  // shorthand format controls
    range{0x1d173, 0x1d17a},  // musical formatting
    range{0xe0000, 0xe0fff},  // tags, variation selectors supplement
};

constexpr std::array combining{
    range{0x0300, 0x036f}, range{0x0483, 0x0489}, range{0x0591, 0x05bd}, range{0x0610, 0x061a},
    range{0x064b, 0x065f}, range{0x0900, 0x0902}, range{0x093a, 0x093a}, range{0x0e31, 0x0e31},
    range{0x0e34, 0x0e3a}, range{0x0e47, 0x0e4e}, range{0x1ab0, 0x1aff}, range{0x1dc0, 0x1dff},
    range{0x20d0, 0x20ff}, range{0xfe0e, 0xfe0f}, range{0xfe20, 0xfe2f}, range{0x1f3fb, 0x1f3ff},
};

constexpr std::array wide{
    range{0x1100, 0x115e},   range{0x231a, 0x231b},   range{0x23e9, 0x23ec},   range{0x25fd, 0x25fe},
    range{0x2614, 0x2615},   range{0x26a1, 0x26a1},   range{0x2705, 0x2705},   range{0x270a, 0x270b},
    range{0x274c, 0x274c},   range{0x2e80, 0x303e},   range{0x3041, 0x3163},   range{0x3165, 0xa4cf},
    range{0xa960, 0xa97f},   range{0xac00, 0xd7a3},   range{0xf900, 0xfaff},   range{0xfe30, 0xfe6f},
    range{0xff00, 0xff60},   range{0xffe0, 0xffe6},   range{0x1f300, 0x1f3fa}, range{0x1f400, 0x1f64f},
    range{0x1f680, 0x1f6ff}, range{0x1f900, 0x1faff}, range{0x20000, 0x3fffd},
};

bool within(std::span<const range> ranges, char32_t c) noexcept {
  const auto behind = std::ranges::upper_bound(ranges, c, {}, &range::first);
  return behind != ranges.begin() && c <= std::prev(behind)->last;
}

}  // namespace

code_point first_code_point(std::string_view text) noexcept {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {.value = lead, .bytes = 1, .valid = true};
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {.value = lead};
  char32_t value = lead & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {.value = lead};
    value = (value << 6) | (byte(i) & 0x3fU);
  }
  const bool overlong = (size == 3 && value < 0x800) || (size == 4 && value < 0x10000);
  if (overlong || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return {.value = lead};
  return {.value = value, .bytes = size, .valid = true};
}

bool is_hidden(char32_t c) noexcept { return within(hidden, c); }

std::size_t column_width(char32_t c) noexcept {
  if (c < 0x300) return 1;
  if (within(combining, c)) return 0;
  return within(wide, c) ? 2 : 1;
}

}  // namespace hawser::cli
