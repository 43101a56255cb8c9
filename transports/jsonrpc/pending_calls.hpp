// SPDX-License-Identifier: MIT
// The calls that await a response. An id is a slot and the slot's generation, so that a lookup is one access to a
// vector and no id is used twice on a connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hawser {

class call_operation;

class pending_calls {
 public:
  explicit pending_calls(std::size_t limit) noexcept;

  /// The id of the new call, or 0 if there are too many. At most 53 bits: some servers cannot represent larger
  /// integers.
  std::int64_t add(call_operation& call);
  /// Null if no pending call has this id.
  [[nodiscard]] call_operation* find(std::int64_t id) const noexcept;
  /// The same, and removes the call.
  call_operation* take(std::int64_t id) noexcept;
  /// Removes any one of them; null if there is none.
  call_operation* take_any() noexcept;
  /// Whether a call with this id existed and has ended.
  [[nodiscard]] bool has_ended(std::int64_t id) const noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t limit() const noexcept { return limit_; }

 private:
  struct slot {
    call_operation* call = nullptr;
    std::int64_t generation = 0;
    std::uint32_t next_free = 0;
  };
  [[nodiscard]] const slot* slot_of(std::int64_t id) const noexcept;

  std::vector<slot> slots_;       // the first one is unused, so that no id is 0, which some servers treat as absent
  std::uint32_t first_free_ = 0;  // 0 = none
  std::size_t size_ = 0;
  std::size_t limit_;
};

}  // namespace hawser
