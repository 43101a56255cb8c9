// SPDX-License-Identifier: MIT
// The calls that wait for an answer. An id is a slot and the slot's generation, so finding a call is one look into a
// vector, and no id ever comes twice on a connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hawser {

class call_operation;

class in_flight {
 public:
  explicit in_flight(std::size_t limit) noexcept;

  /// The id of the new call, or 0 when there are too many. Never more than 53 bits: some servers know no larger number.
  std::int64_t add(call_operation& call);
  /// Null where no call with this id waits.
  [[nodiscard]] call_operation* find(std::int64_t id) const noexcept;
  /// The same, and it waits no longer.
  call_operation* take(std::int64_t id) noexcept;
  /// Any one of them; null when there is none.
  call_operation* take_any() noexcept;
  /// Whether such a call was made once, and has ended.
  [[nodiscard]] bool past(std::int64_t id) const noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t limit() const noexcept { return limit_; }

 private:
  struct slot {
    call_operation* call = nullptr;
    std::int64_t generation = 0;
    std::uint32_t next_free = 0;
  };
  [[nodiscard]] const slot* slot_of(std::int64_t id) const noexcept;

  std::vector<slot> slots_;       // the first one is never used: no id is 0, which some servers take for none
  std::uint32_t first_free_ = 0;  // 0 = none
  std::size_t size_ = 0;
  std::size_t limit_;
};

}  // namespace hawser
