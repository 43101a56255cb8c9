// SPDX-License-Identifier: MIT
// A byte queue in one contiguous block: bytes are appended at the tail and consumed at the head. Unlike std::string it
// does not initialise the space it reads into, and it frees memory after a large message.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

namespace hawser {

class byte_buffer {
 public:
  byte_buffer() = default;
  byte_buffer(byte_buffer&& other) noexcept { swap(other); }
  byte_buffer& operator=(byte_buffer&& other) noexcept {
    byte_buffer old{std::move(other)};
    swap(old);
    return *this;
  }
  ~byte_buffer() = default;
  /// Allocates exactly as much as the bytes need; for keeping them, not for growing.
  static byte_buffer copy_of(std::string_view bytes);

  [[nodiscard]] std::size_t size() const noexcept { return tail_ - head_; }
  [[nodiscard]] bool empty() const noexcept { return head_ == tail_; }
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.get() + head_, size()}; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  struct room {
    char* at;
    std::size_t size;
  };
  /// Space for at least `least` bytes at the tail; invalidates views.
  room reserve(std::size_t least) {
    if (capacity_ - tail_ < least) [[unlikely]]
      make_room(least);
    return {bytes_.get() + tail_, capacity_ - tail_};
  }
  /// Marks `written` bytes of the reserved space as used.
  void commit(std::size_t written) noexcept { tail_ += written; }
  /// Precondition: count <= size().
  void consume(std::size_t count) noexcept;

  /// Removes the first `count` bytes and returns them as a buffer, at the same address. The remaining bytes are copied
  /// and stay. For large messages that are kept. Precondition: count <= size().
  [[nodiscard]] byte_buffer split(std::size_t count);

  void swap(byte_buffer& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(capacity_, other.capacity_);
    std::swap(head_, other.head_);
    std::swap(tail_, other.tail_);
    std::swap(expected_, other.expected_);
  }

 private:
  struct release {
    void operator()(char* bytes) const noexcept { std::free(bytes); }
  };
  void make_room(std::size_t least);
  // From malloc, because only realloc grows megabytes without copying: the kernel remaps the pages.
  std::unique_ptr<char[], release> bytes_;
  std::size_t capacity_ = 0;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
  std::size_t expected_ = 0;  // the size of the last large message; the next one is allocated with it at once
};

}  // namespace hawser
