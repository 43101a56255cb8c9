// SPDX-License-Identifier: MIT
#include "pending_calls.hpp"

#include <algorithm>
#include <utility>

namespace hawser {

namespace {
constexpr int slot_bits = 16;
constexpr std::int64_t slot_mask = (std::int64_t{1} << slot_bits) - 1;
}  // namespace

pending_calls::pending_calls(std::size_t limit) noexcept : limit_(std::min<std::size_t>(limit, slot_mask)) {}

std::int64_t pending_calls::add(call_operation& call) {
  if (size_ == limit_) return 0;
  if (first_free_ == 0) {
    if (slots_.empty()) slots_.emplace_back();
    first_free_ = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  }
  const std::uint32_t index = first_free_;
  slot& s = slots_[index];
  first_free_ = s.next_free;
  s.call = &call;
  ++size_;
  return s.generation << slot_bits | index;
}

const pending_calls::slot* pending_calls::slot_of(std::int64_t id) const noexcept {
  const auto index = static_cast<std::size_t>(id & slot_mask);
  return id > 0 && index > 0 && index < slots_.size() ? &slots_[index] : nullptr;
}

call_operation* pending_calls::find(std::int64_t id) const noexcept {
  const slot* s = slot_of(id);
  return s != nullptr && s->generation == id >> slot_bits ? s->call : nullptr;
}

call_operation* pending_calls::take(std::int64_t id) noexcept {
  call_operation* call = find(id);
  if (call == nullptr) return nullptr;
  const auto index = static_cast<std::uint32_t>(id & slot_mask);
  slot& s = slots_[index];
  s.call = nullptr;
  ++s.generation;
  s.next_free = std::exchange(first_free_, index);
  --size_;
  return call;
}

call_operation* pending_calls::take_any() noexcept {
  if (size_ == 0) return nullptr;
  const auto waiting = std::find_if(slots_.begin(), slots_.end(), [](const slot& s) { return s.call != nullptr; });
  return take(waiting->generation << slot_bits | (waiting - slots_.begin()));
}

bool pending_calls::has_ended(std::int64_t id) const noexcept {
  const slot* s = slot_of(id);
  return s != nullptr && id >> slot_bits < s->generation;
}

}  // namespace hawser
