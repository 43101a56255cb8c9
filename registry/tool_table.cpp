// SPDX-License-Identifier: MIT
#include "tool_table.hpp"

#include <algorithm>

#include "detail/hash.hpp"
#include "detail/server_rows.hpp"

namespace hawser {

namespace {

using row_pointer = const tool_row*;

bool before_name(row_pointer row, std::string_view name) noexcept { return row->name < name; }

// Like lower_bound, with steps that double from the front: changes are usually close together, and then this reads a
// few rows instead of the logarithm of all.
const row_pointer* first_not_before(const row_pointer* from, const row_pointer* end, std::string_view name) noexcept {
  std::ptrdiff_t step = 1;
  while (step < end - from && before_name(from[step - 1], name)) {
    from += step;
    step *= 2;
  }
  return std::lower_bound(from, from + std::min(step, end - from), name, before_name);
}

}  // namespace

tool_table::tool_table(std::uint64_t seed) : seed_(seed), version_(0), size_(0), index_(0) {}

tool_table::tool_table(const tool_table& before, std::uint64_t version, const detail::table_change& change)
    : seed_(before.seed_),
      version_(version),
      size_(before.size_ - change.removed.size() + change.added.size()),
      sorted_(std::make_unique_for_overwrite<row_pointer[]>(size_)),
      index_(before.index_.fits(size_) ? before.index_ : detail::name_index{size_}) {
  merge(before, change);
  if (before.index_.fits(size_)) {
    for (const row_pointer row : change.removed) index_.erase(*row);
    for (const row_pointer row : change.added) index_.insert(*row);
  } else {
    for (const row_pointer row : rows()) index_.insert(*row);
  }
  blocks_.reserve(before.blocks_.size() + 1);
  for (const auto& block : before.blocks_)
    if (block.get() != change.removed_block) blocks_.push_back(block);
  if (change.added_block) blocks_.push_back(change.added_block);
}

tool_table::~tool_table() = default;

// Copies the runs between two changes unchanged.
void tool_table::merge(const tool_table& before, const detail::table_change& change) {
  const row_pointer* from = before.sorted_.get();
  const row_pointer* const end = from + before.size_;
  row_pointer* to = sorted_.get();
  auto removed = change.removed.begin();
  auto added = change.added.begin();
  while (removed != change.removed.end() || added != change.added.end()) {
    // If a row replaces one of the same name, the old one is removed first.
    const bool removes =
        added == change.added.end() || (removed != change.removed.end() && (*removed)->name <= (*added)->name);
    const row_pointer* const at = first_not_before(from, end, removes ? (*removed)->name : (*added)->name);
    to = std::copy(from, at, to);
    from = at;
    if (removes) {
      ++from;
      ++removed;
    } else {
      *to++ = *added++;
    }
  }
  std::copy(from, end, to);
}

const tool_row* tool_table::find(std::string_view exposed) const noexcept {
  return index_.find(exposed, detail::hash_of(exposed, seed_));
}

std::span<const tool_row* const> tool_table::page(std::string_view after, std::size_t limit) const noexcept {
  const auto all = rows();
  const auto first = std::upper_bound(all.begin(), all.end(), after,
                                      [](std::string_view name, row_pointer row) { return name < row->name; });
  const auto skipped = static_cast<std::size_t>(first - all.begin());
  return all.subspan(skipped, std::min(limit, all.size() - skipped));
}

// The caller already has a reference, or a pin that protects the registry's own. So the count is not zero, and no
// ordering is needed.
void tool_table::hold() const noexcept { holds_.fetch_add(1, std::memory_order_relaxed); }

// Release: this holder's reads happen before the deletion. Acquire: the deletion happens after the reads of all others.
void tool_table::drop() const noexcept {
  if (holds_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

}  // namespace hawser
