// SPDX-License-Identifier: MIT
#include "reader.hpp"

#include "registry.hpp"

namespace hawser {

reader::reader(const registry& from) : board_(from.board_), slot_(&board_->take_slot()) {}

reader::~reader() {
  assert(depth_ == 0);
  detail::board::return_slot(*slot_);
}

void reader::rest() noexcept {
  assert(depth_ == 0);
  seen_ = nullptr;
  slot_->table.store(nullptr, std::memory_order_release);  // release: reads of the table happen before its deletion
}

}  // namespace hawser
