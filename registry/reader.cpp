// SPDX-License-Identifier: MIT
#include "reader.hpp"

#include "registry.hpp"

namespace hawser {

reader::reader(const registry& from) : publisher_(from.publisher_), slot_(&publisher_->take_slot()) {}

reader::~reader() {
  assert(depth_ == 0);
  detail::table_publisher::return_slot(*slot_);
}

void reader::release_table() noexcept {
  assert(depth_ == 0);
  seen_ = nullptr;
  slot_->table.store(nullptr, std::memory_order_release);  // release: reads of the table happen before its deletion
}

}  // namespace hawser
