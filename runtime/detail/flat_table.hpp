// SPDX-License-Identifier: MIT
// A hash table in one block of memory, for keys that are hashes already: a lookup is one cache line in most cases.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hawser::detail {

/// Precondition: the high bits of the keys are evenly distributed, and nobody outside can choose them.
template <class Value>
class flat_table {
 public:
  [[nodiscard]] const Value* find(std::uint64_t key) const noexcept {
    if (count_ == 0) return nullptr;
    for (std::size_t at = slot_of(key);; at = (at + 1) & (slots_.size() - 1)) {
      const slot& here = slots_[at];
      if (!here.used) return nullptr;
      if (here.key == key) return &here.value;
    }
  }
  [[nodiscard]] bool contains(std::uint64_t key) const noexcept { return find(key) != nullptr; }

  /// Inserts a default value if there is none.
  Value& operator[](std::uint64_t key) {
    if ((count_ + 1) * 2 > slots_.size()) grow();
    slot& here = slot_for(key);
    if (!here.used) {
      here.used = true;
      here.key = key;
      ++count_;
    }
    return here.value;
  }

  template <class F>
  void for_each_key(F f) const {
    for (const slot& one : slots_) {
      if (one.used) f(one.key);
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return count_; }

  void clear() noexcept {
    slots_.clear();
    count_ = 0;
  }

 private:
  struct slot {
    std::uint64_t key = 0;
    Value value{};
    bool used = false;
  };

  [[nodiscard]] std::size_t slot_of(std::uint64_t key) const noexcept {
    return static_cast<std::size_t>(key >> static_cast<unsigned>(64 - std::countr_zero(slots_.size())));
  }
  slot& slot_for(std::uint64_t key) noexcept {
    std::size_t at = slot_of(key);
    while (slots_[at].used && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }
  void grow() {
    std::vector<slot> before = std::exchange(slots_, {});
    slots_.resize(before.empty() ? 16 : before.size() * 2);
    for (slot& one : before) {
      if (one.used) slot_for(one.key) = std::move(one);
    }
  }

  std::vector<slot> slots_;  // a power of two, at most half of them used
  std::size_t count_ = 0;
};

}  // namespace hawser::detail
