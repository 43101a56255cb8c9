// SPDX-License-Identifier: MIT
// Finds requests of ours by their ids. The chains of this hash table run through the entries, so that adding and
// removing one allocates nothing. For ids that this side chooses: nobody else can make them collide.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hawser {

/// `Entry` has `std::optional<std::int64_t> request`, its id, which stays the same as long as it is here, and
/// `Entry* next_by_id`, which belongs to the index. Entries are removed before they die.
template <class Entry>
class request_index {
 public:
  void add(Entry& entry) {
    if (size_ == chains_.size()) grow();
    link(entry);
    ++size_;
  }
  /// Precondition: it is here.
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
  /// Null where there is none.
  [[nodiscard]] Entry* find(std::int64_t id) const noexcept {
    if (chains_.empty()) return nullptr;
    Entry* at = chains_[chain_of(id)];
    while (at != nullptr && *at->request != id) at = at->next_by_id;
    return at;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  static constexpr std::size_t fewest_chains = 16;

  // Fibonacci hashing: the upper bits of the product, since ids differ in few of theirs.
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

  std::vector<Entry*> chains_;  // as many as a power of two
  int shift_ = 0;
  std::size_t size_ = 0;
};

}  // namespace hawser
