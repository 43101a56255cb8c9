// SPDX-License-Identifier: MIT
// All tools of all servers at one moment, sorted by exposed name, bytewise. Immutable: the registry builds the next
// table by copying pointers; the rows stay in place.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "detail/name_index.hpp"
#include "tool_row.hpp"

namespace hawser {

namespace detail {
class table_publisher;
class server_rows;

/// The difference between one table and the next.
struct table_change {
  std::span<const tool_row* const> removed;    ///< sorted; all of them in the table
  std::span<const tool_row* const> added;      ///< sorted; no name that remains in the table
  const server_rows* removed_block = nullptr;  ///< the block of rows that is no longer needed
  std::shared_ptr<const server_rows> added_block{};
};
}  // namespace detail

class tool_table {
 public:
  /// Empty, version 0. `seed` must be the seed of the rows' hashes.
  explicit tool_table(std::uint64_t seed);
  /// The table after the change.
  tool_table(const tool_table& before, std::uint64_t version, const detail::table_change& change);
  tool_table(const tool_table&) = delete;
  tool_table& operator=(const tool_table&) = delete;
  ~tool_table();

  /// Increases with every publication of a registry.
  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] const tool_row& operator[](std::size_t at) const noexcept { return *sorted_[at]; }

  [[nodiscard]] std::span<const tool_row* const> rows() const noexcept { return {sorted_.get(), size_}; }
  [[nodiscard]] auto begin() const noexcept { return rows().begin(); }
  [[nodiscard]] auto end() const noexcept { return rows().end(); }

  /// Null if there is none. Names are compared bytewise: no case folding, no Unicode normalization.
  [[nodiscard]] const tool_row* find(std::string_view exposed) const noexcept;

  /// The row with the same name as `namesake`, without hashing the name again. `namesake` must belong to the same
  /// registry.
  [[nodiscard]] const tool_row* find(const tool_row& namesake) const noexcept {
    return index_.find(namesake.name, namesake.hash);
  }

  /// Up to `limit` rows after the name `after`, which need not exist any more; "" starts at the beginning. With a name
  /// as the cursor, rows that remain are neither skipped nor repeated, whatever changed between two pages.
  [[nodiscard]] std::span<const tool_row* const> page(std::string_view after, std::size_t limit) const noexcept;

 private:
  friend class table_ref;
  friend class detail::table_publisher;
  void hold() const noexcept;
  void drop() const noexcept;
  void merge(const tool_table& before, const detail::table_change& change);

  std::uint64_t seed_;
  std::uint64_t version_;
  std::size_t size_;
  std::unique_ptr<const tool_row*[]> sorted_;
  detail::name_index index_;
  std::vector<std::shared_ptr<const detail::server_rows>> blocks_;  // keeps the rows alive
  mutable std::atomic<std::size_t> holds_{1};                       // starts with the registry's own reference
};

/// A counted reference to a table, valid even after the table was replaced or its registry destroyed. It writes to a
/// shared counter, so use it for longer holds and a `pin` for short access.
class table_ref {
 public:
  table_ref(const table_ref& other) noexcept : table_(other.table_) { table_->hold(); }
  table_ref& operator=(table_ref other) noexcept {
    std::swap(table_, other.table_);
    return *this;
  }
  ~table_ref() { table_->drop(); }

  const tool_table& operator*() const noexcept { return *table_; }
  const tool_table* operator->() const noexcept { return table_; }

 private:
  friend class detail::table_publisher;
  friend class pin;
  explicit table_ref(const tool_table& table) noexcept : table_(&table) { table_->hold(); }
  const tool_table* table_;
};

}  // namespace hawser
