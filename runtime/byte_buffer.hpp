// SPDX-License-Identifier: MIT
// Bytes that arrive at the tail and leave at the head, in one piece of memory. Unlike std::string it does not
// initialise the room it reads into, and gives memory back after a large message.
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
  /// With no more memory than the bytes need: for keeping, not for growing.
  static byte_buffer copy_of(std::string_view bytes);

  [[nodiscard]] std::size_t size() const noexcept { return tail_ - head_; }
  [[nodiscard]] bool empty() const noexcept { return head_ == tail_; }
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.get() + head_, size()}; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  struct room {
    char* at;
    std::size_t size;
  };
  /// At least `least` bytes to write at the tail; views become invalid.
  room reserve(std::size_t least) {
    if (capacity_ - tail_ < least) [[unlikely]]
      make_room(least);
    return {bytes_.get() + tail_, capacity_ - tail_};
  }
  /// So many of them were written.
  void commit(std::size_t written) noexcept { tail_ += written; }
  /// Precondition: count <= size().
  void consume(std::size_t count) noexcept;

  /// Takes the first `count` bytes out as a buffer of their own, at the same address; the rest is copied and stays.
  /// For large messages that somebody wants to keep. Precondition: count <= size().
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
  // From malloc, because only realloc grows megabytes without copying them: the system moves the pages.
  std::unique_ptr<char[], release> bytes_;
  std::size_t capacity_ = 0;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
  std::size_t expected_ = 0;  // what the last large message needed: the next one gets it at once
};

}  // namespace hawser
