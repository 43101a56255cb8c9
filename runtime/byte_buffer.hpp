// SPDX-License-Identifier: MIT
// Bytes that arrive at the tail and leave at the head, in one piece of memory. Unlike std::string it does not
// initialise the room it reads into, and gives memory back after a large message.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace hawser {

class byte_buffer {
 public:
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

 private:
  void make_room(std::size_t least);
  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_ = 0;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
};

}  // namespace hawser
