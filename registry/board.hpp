// SPDX-License-Identifier: MIT
// Where a registry hangs out its current table, and the hazard slots in which readers say which table they look at.
// Shared by the registry and its readers, so that either may end first. Not for users: they have `reader` and
// `registry`.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "tool_table.hpp"

namespace hawser::detail {

/// On a cache line of its own: nobody but its owner writes to it.
struct alignas(64) hazard_slot {
  std::atomic<const tool_table*> table{nullptr};
  std::atomic<bool> taken{false};
};

class board {
 public:
  explicit board(const tool_table* first) noexcept : current_(first) {}
  board(const board&) = delete;
  board& operator=(const board&) = delete;
  ~board();

  // Any thread; lock-free.
  hazard_slot& take_slot();
  static void return_slot(hazard_slot& slot) noexcept;
  [[nodiscard]] const tool_table* current() const noexcept { return current_.load(std::memory_order_acquire); }
  /// Makes the slot name the current table, which then lives as long as the slot does so.
  const tool_table* protect_current(hazard_slot& slot) const noexcept;
  /// `between` runs where a publication could go unnoticed: a test publishes there.
  template <class Between>
  const tool_table* protect_current(hazard_slot& slot, Between between) const;
  [[nodiscard]] std::uint64_t version() const noexcept { return version_.load(std::memory_order_acquire); }
  table_ref hold_current();

  // The publisher's thread.
  /// Takes the table over; the one before it is retired.
  void publish(const tool_table* next);
  /// Lets go of the retired tables that no slot names; returns how many are named still.
  std::size_t collect();

 private:
  struct block {
    std::array<hazard_slot, 16> slots;
    std::atomic<block*> next{nullptr};
  };

  // On one cache line: what all threads read, and what is written only when a table is published or freed.
  alignas(64) std::atomic<const tool_table*> current_;
  std::atomic<std::uint64_t> version_{0};
  std::vector<const tool_table*> retired_;
  std::vector<const tool_table*> named_;  // collect()'s, kept for its memory
  block first_;                           // the list only grows: a scan needs no protection of its own
};

// Why a table that protect_current() returned is not deleted under the reader: the reader's store to the slot (A) and
// its second load of current_ (B), the publisher's exchange (C) and the collector's load of the slot (D) are all
// seq_cst, so all threads agree on one order, in which A is before B and C before D. If B still saw the table, B is
// before C, so A is before D and the collector sees the slot name it (or what the same reader looked at later, when he
// was done with it). If B is after C, the reader saw another table and tries again. Storing anything else into the slot
// releases the reads made under it, and D acquires them.
template <class Between>
const tool_table* board::protect_current(hazard_slot& slot, Between between) const {
  const tool_table* seen = current_.load(std::memory_order_relaxed);
  for (;;) {
    between();
    slot.table.store(seen, std::memory_order_seq_cst);                       // A
    const tool_table* const now = current_.load(std::memory_order_seq_cst);  // B; acquires the table's content
    if (now == seen) return seen;
    seen = now;  // a publication came between, and only then: somebody always makes progress
  }
}

}  // namespace hawser::detail
