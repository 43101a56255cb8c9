// SPDX-License-Identifier: MIT
// A whole response with a plain head, delimited by its Content-Length. http_parser uses it instead of llhttp, which
// sees nothing of such a message. Most responses of a server have the same head, so a head that was parsed once is
// recognised by its bytes.
#pragma once

#include <string>
#include <utility>

#include "fast_head_parser.hpp"

namespace hawser::detail {

class fast_message_parser {
 public:
  /// Whether `bytes` start with such a response within the limits, which must always be the same. `head` is then its
  /// head, and otherwise empty. On entry it must be the head of the last such response, or empty.
  bool begin(std::string_view bytes, const http_limits& limits, http_head& head) {
    const bool known = head.status != 0 && !last_.empty() && bytes.starts_with(last_);
    if (!known && !read(bytes, limits, head)) {
      head = {};
      return false;
    }
    if (known) unread_head_ = last_.size();
    begun_ = true;
    left_ = *head.length;
    delivered_ = 0;
    return true;
  }
  /// Delivers the bytes of the message and returns how many they are. At the first call, `bytes` start with the head.
  std::size_t feed(std::string_view bytes, const http_head& head, http_listener& to) {
    const std::size_t before = std::exchange(unread_head_, 0);
    if (before > 0) to.on_head(head);
    const std::string_view piece = bytes.substr(before, left_);
    left_ -= piece.size();
    delivered_ += piece.size();
    if (!piece.empty()) to.on_body(piece);
    if (left_ == 0 && !skips_body_) to.on_complete();
    return before + piece.size();
  }
  /// Call from inside on_head(): the message ends there.
  void skip_body() noexcept {
    skips_body_ = true;
    left_ = 0;
  }
  [[nodiscard]] bool begun() const noexcept { return begun_; }
  [[nodiscard]] bool ended() const noexcept { return left_ == 0; }
  [[nodiscard]] std::uint64_t delivered() const noexcept { return delivered_; }
  /// Resets for the next message; returns whether this one was handled here.
  bool forget() noexcept {
    skips_body_ = false;
    delivered_ = 0;
    return std::exchange(begun_, false);
  }

  void trim() noexcept { std::string{}.swap(last_); }

 private:
  bool read(std::string_view bytes, const http_limits& limits, http_head& head) {
    head.fields.clear();
    unread_head_ = fast_head_parser::read(bytes.substr(0, limits.max_head), limits.max_fields, head);
    last_ = bytes.substr(0, unread_head_ <= longest_kept ? unread_head_ : 0);
    return unread_head_ > 0 && (limits.max_body == 0 || *head.length <= limits.max_body);
  }

  static constexpr std::size_t longest_kept = 1024;
  std::string last_;  // the bytes of the last plain head, or empty
  bool begun_ = false;
  bool skips_body_ = false;
  std::size_t unread_head_ = 0;
  std::uint64_t left_ = 0;
  std::uint64_t delivered_ = 0;
};

}  // namespace hawser::detail
