// SPDX-License-Identifier: MIT
#include "board.hpp"

#include <algorithm>

namespace hawser::detail {

board::~board() {
  // The last owner of the board: no reader is left, so that no slot means anything.
  for (const tool_table* table : retired_) table->drop();
  current_.load(std::memory_order_relaxed)->drop();
  for (block* next = first_.next.load(std::memory_order_relaxed); next != nullptr;) {
    block* const gone = next;
    next = gone->next.load(std::memory_order_relaxed);
    delete gone;
  }
}

hazard_slot& board::take_slot() {
  for (block* at = &first_;;) {
    for (hazard_slot& slot : at->slots) {
      // Relaxed look first: an exchange on somebody's slot would take his cache line.
      if (slot.taken.load(std::memory_order_relaxed)) continue;
      // Acquire pairs with return_slot: the previous owner is done with the slot.
      if (!slot.taken.exchange(true, std::memory_order_acquire)) return slot;
    }
    block* next = at->next.load(std::memory_order_acquire);
    if (next == nullptr) {
      auto fresh = std::make_unique<block>();
      // In the order that protect_current() speaks of, before any use of the block's slots: a collector that must see
      // a slot sees its block. Whoever loses the race uses the winner's.
      if (at->next.compare_exchange_strong(next, fresh.get(), std::memory_order_seq_cst)) next = fresh.release();
    }
    at = next;
  }
}

void board::return_slot(hazard_slot& slot) noexcept {
  // Release: what was read of the table comes before its deletion by a collector that sees the slot empty.
  slot.table.store(nullptr, std::memory_order_release);
  slot.taken.store(false, std::memory_order_release);
}

const tool_table* board::protect_current(hazard_slot& slot) const noexcept {
  return protect_current(slot, [] {});
}

table_ref board::hold_current() {
  hazard_slot& slot = take_slot();
  table_ref held{*protect_current(slot)};
  return_slot(slot);
  return held;
}

void board::publish(const tool_table* next) {
  retired_.reserve(retired_.size() + 1);  // what may throw comes before what cannot be undone
  retired_.push_back(current_.exchange(next, std::memory_order_seq_cst));  // C; releases the table's content
  // Behind the exchange: who sees the number sees at least that table.
  version_.store(next->version(), std::memory_order_release);
}

std::size_t board::collect() {
  if (retired_.empty()) return 0;
  named_.clear();
  for (const block* at = &first_; at != nullptr; at = at->next.load(std::memory_order_seq_cst)) {
    for (const hazard_slot& slot : at->slots) {
      const tool_table* const table = slot.table.load(std::memory_order_seq_cst);  // D
      if (table != nullptr) named_.push_back(table);
    }
  }
  std::erase_if(retired_, [this](const tool_table* table) {
    if (std::find(named_.begin(), named_.end(), table) != named_.end()) return false;
    table->drop();  // a table_ref may hold it still; then it deletes it
    return true;
  });
  return retired_.size();
}

}  // namespace hawser::detail
