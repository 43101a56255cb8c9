// SPDX-License-Identifier: MIT
// Exposed name to row: open addressing in two parallel arrays, one-byte tags and pointers, without tombstones. Copying
// it is copying the arrays, so that the index of the next table costs two memcpy and the few rows that changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "tool_row.hpp"

namespace hawser::detail {

class name_index {
 public:
  /// Empty, with room for so many rows.
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

  /// Whether it is neither too full nor far too large for so many rows.
  [[nodiscard]] bool fits(std::size_t rows) const noexcept;
  /// Precondition: the name is not in it, and it fits.
  void insert(const tool_row& row) noexcept;
  /// Precondition: this very row is in it.
  void erase(const tool_row& row) noexcept;

 private:
  // Zero means free.
  static std::uint8_t tag_of(std::uint64_t hash) noexcept {
    const auto top = static_cast<std::uint8_t>(hash >> 56U);
    return top != 0 ? top : 1;
  }

  std::size_t mask_;  // the number of slots, a power of two, less one
  std::unique_ptr<std::uint8_t[]> tags_;
  std::unique_ptr<const tool_row*[]> rows_;
};

}  // namespace hawser::detail
