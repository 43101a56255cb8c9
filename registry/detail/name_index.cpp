// SPDX-License-Identifier: MIT
#include "name_index.hpp"

#include <algorithm>

namespace hawser::detail {

namespace {
constexpr std::size_t fewest_slots = 16;
// A higher load factor makes probes longer; a lower one makes every publication copy more. Ten thousand rows get 16,384
// slots.
constexpr std::size_t most_rows(std::size_t slots) noexcept { return slots / 10 * 7; }
// Far below the growth threshold, so that rows that come and go do not rebuild the index each time.
constexpr std::size_t fewest_rows(std::size_t slots) noexcept { return slots / 8; }

std::size_t slots_for(std::size_t rows) noexcept {
  std::size_t slots = fewest_slots;
  while (most_rows(slots) < rows) slots *= 2;
  return slots;
}
}  // namespace

name_index::name_index(std::size_t rows)
    : mask_(slots_for(rows) - 1),
      tags_(std::make_unique<std::uint8_t[]>(mask_ + 1)),
      rows_(std::make_unique<const tool_row*[]>(mask_ + 1)) {}

name_index::name_index(const name_index& other)
    : mask_(other.mask_),
      tags_(std::make_unique_for_overwrite<std::uint8_t[]>(mask_ + 1)),
      rows_(std::make_unique_for_overwrite<const tool_row*[]>(mask_ + 1)) {
  std::copy_n(other.tags_.get(), mask_ + 1, tags_.get());
  std::copy_n(other.rows_.get(), mask_ + 1, rows_.get());
}

bool name_index::fits(std::size_t rows) const noexcept {
  const std::size_t slots = mask_ + 1;
  return rows <= most_rows(slots) && (slots == fewest_slots || rows >= fewest_rows(slots));
}

void name_index::insert(const tool_row& row) noexcept {
  std::size_t at = row.hash & mask_;
  while (tags_[at] != 0) at = (at + 1) & mask_;
  tags_[at] = tag_of(row.hash);
  rows_[at] = &row;
}

void name_index::erase(const tool_row& row) noexcept {
  std::size_t hole = row.hash & mask_;
  while (rows_[hole] != &row) hole = (hole + 1) & mask_;
  // Moves the following entries of the probe sequence back into the hole until a free slot is found: a probe must not
  // meet a gap before its entry.
  for (std::size_t at = (hole + 1) & mask_; tags_[at] != 0; at = (at + 1) & mask_) {
    const std::size_t home = rows_[at]->hash & mask_;
    if (((at - home) & mask_) < ((at - hole) & mask_)) continue;
    tags_[hole] = tags_[at];
    rows_[hole] = rows_[at];
    hole = at;
  }
  tags_[hole] = 0;
  rows_[hole] = nullptr;
}

}  // namespace hawser::detail
