// SPDX-License-Identifier: MIT
// Maps exposed names to rows: open addressing in two parallel arrays, one-byte tags and row pointers, without
// tombstones. A copy copies the arrays, so the index of the next table costs two memcpy calls plus the changed rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "../tool_row.hpp"

namespace hawser::detail {

class name_index {
 public:
  /// Empty, with capacity for this many rows.
  explicit name_index(std::size_t rows);
  name_index(const name_index& other);
  name_index(name_index&&) noexcept = default;
  name_index& operator=(const name_index&) = delete;
  name_index& operator=(name_index&&) noexcept = default;
  ~name_index() = default;

  [[nodiscard]] const tool_row* find(std::string_view name, std::uint64_t hash) const noexcept {
    const std::uint8_t wanted = tag_of(hash);
    for (std::size_t at = hash & mask_;; at = (at + 1) & mask_) {
      const std::uint8_t tag = tags_[at];
      if (tag == wanted && rows_[at]->hash == hash && rows_[at]->name == name) return rows_[at];
      if (tag == 0) return nullptr;
    }
  }

  /// Whether the index is neither too full nor far too large for this many rows.
  [[nodiscard]] bool fits(std::size_t rows) const noexcept;
  /// Precondition: the name is not in the index, and one more row fits.
  void insert(const tool_row& row) noexcept;
  /// Precondition: exactly this row is in the index.
  void erase(const tool_row& row) noexcept;

 private:
  // Zero means that the slot is free.
  static std::uint8_t tag_of(std::uint64_t hash) noexcept {
    const auto top = static_cast<std::uint8_t>(hash >> 56U);
    return top != 0 ? top : 1;
  }

  std::size_t mask_;  // the number of slots, a power of two, minus one
  std::unique_ptr<std::uint8_t[]> tags_;
  std::unique_ptr<const tool_row*[]> rows_;
};

}  // namespace hawser::detail
