// SPDX-License-Identifier: MIT
// Looking at the current table without writing to anything shared and without waiting: a `reader` for each thread, a
// `pin` for each look. What has to last longer than a look is a `table_ref`.
#pragma once

#include <cassert>
#include <cstddef>
#include <memory>

#include "board.hpp"

namespace hawser {

class pin;
class registry;

/// One thread's access to a registry; it may outlive the registry, whose last table it then sees.
///
/// Between two looks it goes on naming the table it saw last. That makes a look at an unchanged table one load and one
/// comparison: the store and the fence (some 8 ns) are paid once a publication, not once a look. The price: a reader
/// that no longer looks keeps one old table alive, until it looks again, rests, or ends.
class reader {
 public:
  /// Any thread; the reader belongs to one from then on.
  explicit reader(const registry& from);
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;
  ~reader();

  /// A look into a look sees the same table.
  [[nodiscard]] pin look() noexcept;

  /// Lets go of the last table seen: for a thread that will not look for a while. Precondition: no pin.
  void rest() noexcept;

 private:
  friend class pin;
  std::shared_ptr<detail::board> board_;
  detail::hazard_slot* slot_;
  const tool_table* seen_ = nullptr;  // what the slot names, so that a look need not read it
  unsigned depth_ = 0;
};

/// The table does not go away and does not change while the pin lives. Keep it short, and on the reader's thread. A
/// local variable and nothing else: pins of one reader end in the reverse order of their beginning.
class pin {
 public:
  pin(const pin&) = delete;
  pin& operator=(const pin&) = delete;
  // Restoring what was there before costs half of counting down: it does not wait for the counting up.
  ~pin() {
    assert(reader_->depth_ == before_ + 1);
    reader_->depth_ = before_;
  }
  static void* operator new(std::size_t) = delete;

  const tool_table& operator*() const noexcept { return *reader_->seen_; }
  const tool_table* operator->() const noexcept { return reader_->seen_; }

  /// The same table, for longer.
  [[nodiscard]] table_ref hold() const noexcept { return table_ref{*reader_->seen_}; }

 private:
  friend class reader;
  explicit pin(reader& from) noexcept : reader_(&from), before_(from.depth_) { from.depth_ = before_ + 1; }
  reader* reader_;
  unsigned before_;
};

// If the slot names the current table since an earlier look, it has been protected all the time: nothing to say anew.
inline pin reader::look() noexcept {
  if (depth_ == 0 && board_->current() != seen_) [[unlikely]]
    seen_ = board_->protect_current(*slot_);
  return pin{*this};
}

}  // namespace hawser
