// SPDX-License-Identifier: MIT
// Processes JSON in blocks of 64 bytes as bit masks, to find the brackets outside strings. After a context switch no
// branch is predicted, and a branch per token then costs more than all the bytes between tokens.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "plain_run.hpp"

namespace hawser::detail {

/// One bit per byte of a 64-byte block.
struct byte_masks {
  std::uint64_t quote = 0;
  std::uint64_t backslash = 0;
  std::uint64_t open = 0;     // { and [, which differ in one bit
  std::uint64_t close = 0;    // } and ]
  std::uint64_t control = 0;  // below the space
  std::uint64_t beyond = 0;   // not ASCII
};

inline byte_masks masks_of(const char* p) noexcept {
  byte_masks m;
#if defined(__SSE2__)
  for (int i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p) + i);
    const __m128i folded = _mm_and_si128(bytes, _mm_set1_epi8(static_cast<char>(0xDF)));
    const auto bits = [i](__m128i hits) {
      return static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(hits))) << (16 * i);
    };
    m.quote |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')));
    m.backslash |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
    m.open |= bits(_mm_cmpeq_epi8(folded, _mm_set1_epi8('[')));
    m.close |= bits(_mm_cmpeq_epi8(folded, _mm_set1_epi8(']')));
    // min(byte, 0x1F) equals the byte exactly if it is a control character.
    m.control |= bits(_mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes));
    m.beyond |= bits(bytes);
  }
#else
  for (int i = 0; i < 64; ++i) {
    const auto c = static_cast<unsigned char>(p[i]);
    const auto bit = [i](bool yes) { return static_cast<std::uint64_t>(yes) << i; };
    m.quote |= bit(c == '"');
    m.backslash |= bit(c == '\\');
    m.open |= bit((c & 0xDF) == '[');
    m.close |= bit((c & 0xDF) == ']');
    m.control |= bit(c < 0x20);
    m.beyond |= bit(c >= 0x80);
  }
#endif
  return m;
}

/// Tracks strings across blocks.
class string_tracker {
 public:
  /// The bytes that belong to strings: with the opening quote, without the closing one.
  std::uint64_t strings(const byte_masks& m) noexcept {
    std::uint64_t bits = m.quote & ~escaped(m.backslash);
    // Each bit becomes the parity of the quotes up to it.
    for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
    bits ^= inside_;
    inside_ = std::uint64_t{0} - (bits >> 63);
    return bits;
  }
  /// Whether the next block starts inside a string, with a byte that is not escaped.
  [[nodiscard]] bool in_plain_string() const noexcept { return inside_ != 0 && escapes_first_ == 0; }

 private:
  // The bytes escaped by a backslash that is not itself escaped.
  std::uint64_t escaped(std::uint64_t backslashes) noexcept {
    std::uint64_t bits = escapes_first_;
    escapes_first_ = 0;
    for (; backslashes != 0; backslashes &= backslashes - 1) {
      const std::uint64_t one = backslashes & (std::uint64_t{0} - backslashes);
      if ((bits & one) != 0) continue;
      bits |= one << 1;
      if (one >> 63 != 0) escapes_first_ = 1;
    }
    return bits;
  }

  std::uint64_t inside_ = 0;         // all ones inside a string
  std::uint64_t escapes_first_ = 0;  // the last byte of the previous block escapes the first of this one
};

/// Calls `f(position, masks, strings, opening brackets, closing brackets)`, brackets outside strings only, for each
/// block from `p` on until it returns a position or the bytes end; then returns null.
template <class F>
const char* for_each_block(const char* p, const char* end, F f) {
  string_tracker tracker;
  while (p != end) {
    if (tracker.in_plain_string()) {
      p = plain_run(p, end);  // skips a long text quickly
      if (p == end) break;
    }
    char padded[64];
    const char* block = p;
    const std::size_t left = static_cast<std::size_t>(end - p);
    if (left < 64) {  // padded with spaces, which JSON ignores
      std::memset(padded, ' ', sizeof padded);
      std::memcpy(padded, p, left);
      block = padded;
    }
    const byte_masks m = masks_of(block);
    const std::uint64_t strings = tracker.strings(m);
    if (const char* found = f(p, m, strings, m.open & ~strings, m.close & ~strings)) return found;
    p += left < 64 ? left : 64;
  }
  return nullptr;
}

/// The position after the bracket in this block, at `p`, that closes the outermost container, or null; updates `depth`.
inline const char* closing_bracket(const char* p, std::uint64_t open, std::uint64_t close,
                                   std::size_t& depth) noexcept {
  const auto closing = static_cast<std::size_t>(std::popcount(close));
  if (depth > closing) {  // not reached even if all closing brackets come first
    depth += static_cast<std::size_t>(std::popcount(open)) - closing;
    return nullptr;
  }
  for (std::uint64_t brackets = open | close; brackets != 0; brackets &= brackets - 1) {
    const std::uint64_t one = brackets & (std::uint64_t{0} - brackets);
    if ((open & one) != 0) {
      ++depth;
    } else if (--depth == 0) {
      return p + std::countr_zero(one) + 1;
    }
  }
  return nullptr;
}

/// The position after the container that starts at `p`. Precondition: the JSON is valid.
inline const char* skip_container(const char* p, const char* end) noexcept {
  std::size_t depth = 0;
  const char* first = p;
  return for_each_block(p, end,
                        [&](const char* at, const byte_masks&, std::uint64_t, std::uint64_t open, std::uint64_t close) {
                          if (at == first) {  // counted before closing brackets are compared with it
                            open &= open - 1;
                            depth = 1;
                          }
                          return closing_bracket(at, open, close, depth);
                        });
}

}  // namespace hawser::detail
