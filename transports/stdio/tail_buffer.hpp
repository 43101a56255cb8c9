// SPDX-License-Identifier: MIT
// Keeps the last bytes of an unbounded text, such as a server's stderr.
#pragma once

#include <string>
#include <string_view>

namespace hawser {

class tail_buffer {
 public:
  explicit tail_buffer(std::size_t size) noexcept : size_(size) {}

  void append(std::string_view bytes) {
    if (bytes.size() >= size_) {
      text_ = bytes.substr(bytes.size() - size_);
      return;
    }
    text_ += bytes;
    if (text_.size() > 2 * size_) text_.erase(0, text_.size() - size_);
  }

  [[nodiscard]] std::string_view text() const noexcept {
    return text_.size() > size_ ? std::string_view{text_}.substr(text_.size() - size_) : std::string_view{text_};
  }

 private:
  std::size_t size_;
  std::string text_;  // up to twice size_, so that each byte is moved at most once
};

}  // namespace hawser
