// SPDX-License-Identifier: MIT
#include "byte_buffer.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace hawser {

namespace {
// What an idle connection keeps. A buffer that grew beyond it for a large message is given back when it is empty.
constexpr std::size_t kept_when_empty = std::size_t{64} * 1024;
constexpr std::size_t smallest = 4096;
}  // namespace

void byte_buffer::make_room(std::size_t least) {
  const std::size_t used = size();
  // Moving the rest to the front is enough where at least half of the memory is dead; else grow, so that bytes are
  // moved a bounded number of times each.
  if (head_ >= capacity_ / 2 && capacity_ - used >= least) {
    std::memmove(bytes_.get(), bytes_.get() + head_, used);
  } else {
    const std::size_t grown = std::max({smallest, capacity_ * 2, used + least});
    std::unique_ptr<char[]> larger{new char[grown]};
    if (used > 0) std::memcpy(larger.get(), bytes_.get() + head_, used);
    bytes_ = std::move(larger);
    capacity_ = grown;
  }
  head_ = 0;
  tail_ = used;
}

void byte_buffer::consume(std::size_t count) noexcept {
  assert(count <= size());
  head_ += count;
  if (head_ != tail_) return;
  head_ = tail_ = 0;
  if (capacity_ > kept_when_empty) {
    bytes_.reset();
    capacity_ = 0;
  }
}

}  // namespace hawser
