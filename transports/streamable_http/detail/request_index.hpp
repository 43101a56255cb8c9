// SPDX-License-Identifier: MIT
// An intrusive hash table of outgoing requests by id: its chains run through the entries, so that adding and removing
// one allocates nothing. Only for ids that this side chooses, so that the remote side cannot make them collide.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hawser {

/// `Entry` has `std::optional<std::int64_t> request`, its id, which must not change while it is in the index, and
/// `Entry* next_by_id`, which belongs to the index. Entries are removed before they are destroyed.
template <class Entry>
class request_index {
 public:
  void add(Entry& entry) {
    if (size_ == chains_.size()) grow();
    link(entry);
    ++size_;
  }
  /// Precondition: it is in the index.
  void remove(Entry& entry) noexcept {
    Entry** at = &chains_[chain_of(*entry.request)];
    while (*at != &entry) at = &(*at)->next_by_id;
    *at = std::exchange(entry.next_by_id, nullptr);
    --size_;
  }
  void clear() noexcept {
    std::fill(chains_.begin(), chains_.end(), nullptr);
    size_ = 0;
  }
  /// Null if there is none.
  [[nodiscard]] Entry* find(std::int64_t id) const noexcept {
    if (chains_.empty()) return nullptr;
    Entry* at = chains_[chain_of(id)];
    while (at != nullptr && *at->request != id) at = at->next_by_id;
    return at;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  static constexpr std::size_t fewest_chains = 16;

  // Fibonacci hashing: the upper bits of the product are used, because ids differ in few bits.
  [[nodiscard]] std::size_t chain_of(std::int64_t id) const noexcept {
    constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;
    return static_cast<std::size_t>((static_cast<std::uint64_t>(id) * golden) >> shift_);
  }
  void link(Entry& entry) noexcept {
    Entry*& first = chains_[chain_of(*entry.request)];
    entry.next_by_id = std::exchange(first, &entry);
  }
  void grow() {
    std::vector<Entry*> old(std::max(fewest_chains, 2 * chains_.size()), nullptr);
    old.swap(chains_);
    shift_ = 64 - std::countr_zero(chains_.size());
    for (Entry* at : old) {
      while (at != nullptr) {
        Entry* next = at->next_by_id;
        link(*at);
        at = next;
      }
    }
  }

  std::vector<Entry*> chains_;  // their number is a power of two
  int shift_ = 0;
  std::size_t size_ = 0;
};

}  // namespace hawser
