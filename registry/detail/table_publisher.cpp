// SPDX-License-Identifier: MIT
#include "table_publisher.hpp"

#include <algorithm>

namespace hawser::detail {

table_publisher::~table_publisher() {
  // The last owner is gone: no reader is left, so no slot is in use.
  for (const tool_table* table : retired_) table->drop();
  current_.load(std::memory_order_relaxed)->drop();
  for (block* next = first_.next.load(std::memory_order_relaxed); next != nullptr;) {
    block* const gone = next;
    next = gone->next.load(std::memory_order_relaxed);
    delete gone;
  }
}

hazard_slot& table_publisher::take_slot() {
  for (block* at = &first_;;) {
    for (hazard_slot& slot : at->slots) {
      // A relaxed load first: an exchange on a slot in use would take its cache line from the owner.
      if (slot.taken.load(std::memory_order_relaxed)) continue;
      // Acquire pairs with return_slot: the previous owner has finished with the slot.
      if (!slot.taken.exchange(true, std::memory_order_acquire)) return slot;
    }
    block* next = at->next.load(std::memory_order_acquire);
    if (next == nullptr) {
      auto fresh = std::make_unique<block>();
      // seq_cst, as described at protect_current(), and before any use of the block's slots: a collector that must see
      // a slot also sees its block. The loser of the race uses the winner's block.
      if (at->next.compare_exchange_strong(next, fresh.get(), std::memory_order_seq_cst)) next = fresh.release();
    }
    at = next;
  }
}

void table_publisher::return_slot(hazard_slot& slot) noexcept {
  // Release: reads of the table happen before its deletion by a collector that sees the slot empty.
  slot.table.store(nullptr, std::memory_order_release);
  slot.taken.store(false, std::memory_order_release);
}

const tool_table* table_publisher::protect_current(hazard_slot& slot) const noexcept {
  return protect_current(slot, [] {});
}

table_ref table_publisher::hold_current() {
  hazard_slot& slot = take_slot();
  table_ref held{*protect_current(slot)};
  return_slot(slot);
  return held;
}

void table_publisher::publish(const tool_table* next) {
  retired_.reserve(retired_.size() + 1);  // allocate before the step that cannot be undone
  retired_.push_back(current_.exchange(next, std::memory_order_seq_cst));  // C; releases the table's content
  // After the exchange: a thread that sees this version sees at least that table.
  version_.store(next->version(), std::memory_order_release);
}

std::size_t table_publisher::collect() {
  if (retired_.empty()) return 0;
  protected_.clear();
  for (const block* at = &first_; at != nullptr; at = at->next.load(std::memory_order_seq_cst)) {
    for (const hazard_slot& slot : at->slots) {
      const tool_table* const table = slot.table.load(std::memory_order_seq_cst);  // D
      if (table != nullptr) protected_.push_back(table);
    }
  }
  std::erase_if(retired_, [this](const tool_table* table) {
    if (std::find(protected_.begin(), protected_.end(), table) != protected_.end()) return false;
    table->drop();  // if a table_ref still holds it, that deletes it later
    return true;
  });
  return retired_.size();
}

}  // namespace hawser::detail
