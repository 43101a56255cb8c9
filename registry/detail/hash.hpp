// SPDX-License-Identifier: MIT
// A fast 64-bit hash, based on wyhash. Unseeded it is part of exposed names and must never change. Seeded it
// distributes names over an index. Not cryptographic.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace hawser::detail {

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using wide = unsigned __int128;
  const wide product = static_cast<wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Little endian on every machine, so that exposed names are the same everywhere.
inline std::uint64_t eight_bytes(const char* at) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}
inline std::uint64_t four_bytes(const char* at) noexcept {
  std::uint32_t word = 0;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap32(word);
  return word;
}

/// A factor of zero would discard the seed. Both halves of the constant contain a non-ASCII byte and exposed names are
/// ASCII, so a server cannot choose a name that causes it.
inline std::uint64_t hash_of(std::string_view bytes, std::uint64_t seed) noexcept {
  constexpr std::uint64_t start = 0x243f'6a88'85a3'08d3;  // digits of pi
  constexpr std::uint64_t salt = 0xa409'3822'299f'31d0;
  std::uint64_t state = mix(seed ^ start, salt);
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left > 16; at += 16, left -= 16) state = mix(eight_bytes(at) ^ salt, eight_bytes(at + 8) ^ state);
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  if (left >= 8) {
    a = eight_bytes(at);
    b = eight_bytes(at + left - 8);
  } else if (left >= 4) {
    a = four_bytes(at);
    b = four_bytes(at + left - 4);
  } else if (left > 0) {
    const auto byte = [at](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(at[i])}; };
    a = byte(0) << 16 | byte(left / 2) << 8 | byte(left - 1);
  }
  return mix(bytes.size() ^ start, mix(a ^ salt, b ^ state));
}

}  // namespace hawser::detail
