// SPDX-License-Identifier: MIT
// The registry's publication point: the current table, and the hazard slots in which readers announce the table they
// use. Shared by the registry and its readers, so that either may be destroyed first. Internal: users have `reader` and
// `registry`.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "../tool_table.hpp"

namespace hawser::detail {

/// On its own cache line: only its owner writes to it.
struct alignas(64) hazard_slot {
  std::atomic<const tool_table*> table{nullptr};
  std::atomic<bool> taken{false};
};

class table_publisher {
 public:
  explicit table_publisher(const tool_table* first) noexcept : current_(first) {}
  table_publisher(const table_publisher&) = delete;
  table_publisher& operator=(const table_publisher&) = delete;
  ~table_publisher();

  // Any thread; lock-free.
  hazard_slot& take_slot();
  static void return_slot(hazard_slot& slot) noexcept;
  [[nodiscard]] const tool_table* current() const noexcept { return current_.load(std::memory_order_acquire); }
  /// Stores the current table in the slot; the table then lives at least as long as the slot holds it.
  const tool_table* protect_current(hazard_slot& slot) const noexcept;
  /// `between` runs where a publication could go unnoticed, so that a test can publish there.
  template <class Between>
  const tool_table* protect_current(hazard_slot& slot, Between between) const;
  [[nodiscard]] std::uint64_t version() const noexcept { return version_.load(std::memory_order_acquire); }
  table_ref hold_current();

  // The publisher's thread only.
  /// Takes ownership of `next` and retires the previous table.
  void publish(const tool_table* next);
  /// Drops the retired tables that no slot holds; returns how many are still held.
  std::size_t collect();

 private:
  struct block {
    std::array<hazard_slot, 16> slots;
    std::atomic<block*> next{nullptr};
  };

  // On one cache line: read by all threads, written only when a table is published or freed.
  alignas(64) std::atomic<const tool_table*> current_;
  std::atomic<std::uint64_t> version_{0};
  std::vector<const tool_table*> retired_;
  std::vector<const tool_table*> protected_;  // scratch space of collect(), kept to reuse its memory
  block first_;                               // the list only grows, so scanning it needs no protection
};

// Why a table returned by protect_current() is not deleted while the reader uses it: the reader's store to the slot (A)
// and its second load of current_ (B), the publisher's exchange (C) and the collector's load of the slot (D) are all
// seq_cst. So all threads agree on one order, in which A is before B and C before D. If B still saw the table, B is
// before C, so A is before D, and the collector sees the table in the slot (or a table that the same reader stored
// later, after it had finished with this one). If B is after C, the reader saw another table and retries. A later store
// to the slot releases the reads made under it, and D acquires them.
template <class Between>
const tool_table* table_publisher::protect_current(hazard_slot& slot, Between between) const {
  const tool_table* seen = current_.load(std::memory_order_relaxed);
  for (;;) {
    between();
    slot.table.store(seen, std::memory_order_seq_cst);                       // A
    const tool_table* const now = current_.load(std::memory_order_seq_cst);  // B; acquires the table's content
    if (now == seen) return seen;
    seen = now;  // retries only if a table was published in between, so the system as a whole makes progress
  }
}

}  // namespace hawser::detail
