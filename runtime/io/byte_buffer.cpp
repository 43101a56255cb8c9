// SPDX-License-Identifier: MIT
#include "byte_buffer.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <new>

namespace hawser {

namespace {
// The most an idle connection keeps. A buffer that grew beyond this for a large message is freed when it is empty.
constexpr std::size_t kept_when_empty = std::size_t{64} * 1024;
constexpr std::size_t smallest = 4096;

// For a message of megabytes the page faults on fresh memory cost as much as the bytes themselves, unless the pages are
// huge.
constexpr std::size_t worth_huge_pages = std::size_t{4} << 20;

void ask_for_huge_pages(char* bytes, std::size_t size) noexcept {
  constexpr std::size_t page = 4096;
  const std::size_t to_page = (page - reinterpret_cast<std::uintptr_t>(bytes) % page) % page;
  madvise(bytes + to_page, (size - to_page) / page * page, MADV_HUGEPAGE);  // only advice: an error is harmless
}
}  // namespace

byte_buffer byte_buffer::copy_of(std::string_view bytes) {
  byte_buffer copy;
  if (bytes.empty()) return copy;
  copy.bytes_.reset(static_cast<char*>(std::malloc(bytes.size())));
  if (copy.bytes_ == nullptr) throw std::bad_alloc{};
  std::memcpy(copy.bytes_.get(), bytes.data(), bytes.size());
  copy.capacity_ = copy.tail_ = bytes.size();
  return copy;
}

void byte_buffer::make_room(std::size_t least) {
  const std::size_t used = size();
  // If at least half of the block is consumed, moving the remaining bytes to the front suffices. Otherwise grow, so
  // that each byte is moved a bounded number of times.
  const bool enough = head_ >= capacity_ / 2 && capacity_ - used >= least;
  if (head_ > 0 && used > 0) std::memmove(bytes_.get(), bytes_.get() + head_, used);
  head_ = 0;
  tail_ = used;
  if (enough) return;
  std::size_t grown = std::max({smallest, capacity_ * 2, used + least});
  // A peer that sends one message of megabytes usually sends more. Growing step by step would copy all of it once.
  if (grown > kept_when_empty) grown = std::max(grown, expected_);
  auto* larger = static_cast<char*>(std::realloc(bytes_.get(), grown));
  if (larger == nullptr) throw std::bad_alloc{};
  static_cast<void>(bytes_.release());  // realloc has already freed it
  bytes_.reset(larger);
  capacity_ = grown;
  if (grown >= worth_huge_pages) ask_for_huge_pages(larger, grown);
}

byte_buffer byte_buffer::split(std::size_t count) {
  assert(count <= size());
  byte_buffer rest;
  if (const std::size_t left = size() - count; left > 0) {
    const room to = rest.reserve(left);
    std::memcpy(to.at, bytes_.get() + head_ + count, left);
    rest.commit(left);
  }
  tail_ = head_ + count;
  swap(rest);
  // Slightly more than the last message; otherwise an equal message would fill it and make it grow once more.
  expected_ = rest.capacity_ > kept_when_empty ? rest.tail_ + kept_when_empty : 0;
  return rest;
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
