// SPDX-License-Identifier: MIT
// Member names that all fall into one bucket of the hash table of a boost::json::object. A hostile server can prepare
// them offline: the table has as many buckets as the object has members, and the salt of its hash is the address of
// the table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../transports/json/json_text.hpp"

namespace hawser::testing {

/// What is known about the salt: the last byte of the address. A character changes only its own bits of the hash
/// before the multiplication; the higher bits of the salt add the same amount to the hashes of all names of one
/// length.
struct known_salt {
  std::uint8_t last_byte = 0x10;  ///< that of a table for which malloc() maps memory
};
/// Only that it is a multiple of 16: then the names consist of control characters, which have four bits.
inline constexpr std::optional<known_salt> any_salt{};
inline constexpr std::optional<known_salt> mapped_table{known_salt{}};

/// 2^bits names for an object with exactly these members.
inline std::vector<std::string> colliding_names(unsigned bits, std::optional<known_salt> known) {
  constexpr std::uint64_t prime = 0x100000001B3;  // FNV-1a, as in boost/json/detail/digest.hpp
  constexpr std::uint64_t start = 0xcbf29ce484222325;
  std::uint64_t inverse = prime;  // modulo 2^64, by Newton's method
  for (int i = 0; i < 6; ++i) inverse *= 2 - prime * inverse;
  const std::string_view letters = known ? "abcdefghijklmnop" : "\t\n\r";
  const std::uint64_t salt = known ? known->last_byte : 0;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const std::size_t wanted = std::size_t{1} << bits;

  // Halves of names, by number: the hash state after each first half, and before each second half that ends with zero
  // in all these bits.
  std::size_t length = 0;
  std::size_t halves = 1;
  for (; halves < 2 * wanted; halves *= letters.size()) ++length;
  const auto letter_of = [&](std::size_t half, std::size_t at) {
    for (; at > 0; --at) half /= letters.size();
    return static_cast<std::uint64_t>(letters[half % letters.size()]);
  };
  std::vector<std::vector<std::size_t>> seconds(wanted);
  for (std::size_t half = 0; half < halves; ++half) {
    std::uint64_t state = 0;
    for (std::size_t at = length; at > 0; --at) state = (state * inverse) ^ letter_of(half, at - 1);
    seconds[state & mask].push_back(half);
  }
  std::vector<std::string> names;
  names.reserve(wanted);
  for (std::size_t first = 0; first < halves; ++first) {
    std::uint64_t state = start + salt;
    for (std::size_t at = 0; at < length; ++at) state = (state ^ letter_of(first, at)) * prime;
    for (const std::size_t second : seconds[state & mask]) {
      std::string name;
      for (const std::size_t half : {first, second})
        for (std::size_t at = 0; at < length; ++at) name += static_cast<char>(letter_of(half, at));
      names.push_back(std::move(name));
      if (names.size() == wanted) return names;
    }
  }
  return {};
}

/// `{"name":1,…}`
inline std::string object_of(const std::vector<std::string>& names, std::string_view value = "1") {
  std::string all = "{";
  for (const std::string& name : names) {
    if (all.size() > 1) all += ',';
    append_quoted(all, name);
    all += ':';
    all += value;
  }
  return all + '}';
}

/// Adds names that do not collide, up to `members` in total.
inline std::vector<std::string> filled_up(std::vector<std::string> colliding, std::size_t members) {
  for (std::size_t i = 0; colliding.size() < members; ++i) colliding.push_back("other" + std::to_string(i));
  return colliding;
}

inline std::string colliding_object(unsigned bits, std::optional<known_salt> known = any_salt) {
  return object_of(colliding_names(bits, known));
}

}  // namespace hawser::testing
