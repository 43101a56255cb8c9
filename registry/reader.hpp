// SPDX-License-Identifier: MIT
// Reads the current table without writing to shared memory and without waiting: one `reader` per thread, one `pin` per
// access. Use a `table_ref` for a longer hold.
#pragma once

#include <cassert>
#include <cstddef>
#include <memory>

#include "detail/table_publisher.hpp"

namespace hawser {

class pin;
class registry;

/// One thread's access to a registry. It may outlive the registry, and then sees its last table.
///
/// Between two accesses its slot keeps holding the last table. So access to an unchanged table costs one load and one
/// comparison; the store and the fence (about 8 ns) are paid once per publication, not once per access. In exchange, an
/// idle reader keeps one old table alive until it accesses the registry again, calls release_table(), or is destroyed.
class reader {
 public:
  /// Any thread; from then on the reader belongs to one thread.
  explicit reader(const registry& from);
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;
  ~reader();

  /// A nested access sees the same table.
  [[nodiscard]] pin pin_current() noexcept;

  /// Releases the last table: for a thread that will not access the registry for a while. Precondition: no pin.
  void release_table() noexcept;

 private:
  friend class pin;
  std::shared_ptr<detail::table_publisher> publisher_;
  detail::hazard_slot* slot_;
  const tool_table* seen_ = nullptr;  // the slot's table, cached so that pin_current() need not read the slot
  unsigned depth_ = 0;
};

/// While the pin lives, the table is neither freed nor changed. Keep it short, and on the reader's thread. Local
/// variables only: the pins of one reader must be destroyed in reverse order.
class pin {
 public:
  pin(const pin&) = delete;
  pin& operator=(const pin&) = delete;
  // Restoring the previous value is twice as fast as decrementing: it does not depend on the earlier increment.
  ~pin() {
    assert(reader_->depth_ == before_ + 1);
    reader_->depth_ = before_;
  }
  static void* operator new(std::size_t) = delete;

  const tool_table& operator*() const noexcept { return *reader_->seen_; }
  const tool_table* operator->() const noexcept { return reader_->seen_; }

  /// The same table, for a longer hold.
  [[nodiscard]] table_ref hold() const noexcept { return table_ref{*reader_->seen_}; }

 private:
  friend class reader;
  explicit pin(reader& from) noexcept : reader_(&from), before_(from.depth_) { from.depth_ = before_ + 1; }
  reader* reader_;
  unsigned before_;
};

// If the slot already holds the current table, it has been protected since the earlier access; nothing to store.
inline pin reader::pin_current() noexcept {
  if (depth_ == 0 && publisher_->current() != seen_) [[unlikely]]
    seen_ = publisher_->protect_current(*slot_);
  return pin{*this};
}

}  // namespace hawser
