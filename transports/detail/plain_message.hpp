// SPDX-License-Identifier: MIT
// An answer with a plain head, as a whole: its body ends where its length says. http_parser has one in place of llhttp,
// which sees nothing of such a message. The answers of one server mostly have the same head, and what was read once is
// known by its bytes.
#pragma once

#include <string>
#include <utility>

#include "plain_head.hpp"

namespace hawser::detail {

class plain_message {
 public:
  /// Whether `bytes` begin with one within the limits, which are always the same: `head` is its head then, and else
  /// empty. Before, it is that of the last one, or empty.
  bool begin(std::string_view bytes, const http_limits& limits, http_head& head) {
    const bool known = head.status != 0 && !last_.empty() && bytes.starts_with(last_);
    if (!known && !read(bytes, limits, head)) {
      head = {};
      return false;
    }
    if (known) unread_head_ = last_.size();
    begun_ = true;
    left_ = *head.length;
    told_ = 0;
    return true;
  }
  /// Tells of what is there of it, and says how many bytes that is. The first time, `bytes` begin with the head.
  std::size_t feed(std::string_view bytes, const http_head& head, http_listener& to) {
    const std::size_t before = std::exchange(unread_head_, 0);
    if (before > 0) to.on_head(head);
    const std::string_view piece = bytes.substr(before, left_);
    left_ -= piece.size();
    told_ += piece.size();
    if (!piece.empty()) to.on_body(piece);
    if (left_ == 0 && !leaves_body_) to.on_complete();
    return before + piece.size();
  }
  /// From inside on_head(): the message ends there.
  void leave_body() noexcept {
    leaves_body_ = true;
    left_ = 0;
  }
  [[nodiscard]] bool begun() const noexcept { return begun_; }
  [[nodiscard]] bool ended() const noexcept { return left_ == 0; }
  [[nodiscard]] std::uint64_t told() const noexcept { return told_; }
  /// Whether there was one.
  bool forget() noexcept {
    leaves_body_ = false;
    told_ = 0;
    return std::exchange(begun_, false);
  }

  void rest() noexcept { std::string{}.swap(last_); }

 private:
  bool read(std::string_view bytes, const http_limits& limits, http_head& head) {
    head.fields.clear();
    unread_head_ = plain_head::read(bytes.substr(0, limits.max_head), limits.max_fields, head);
    last_ = bytes.substr(0, unread_head_ <= longest_kept ? unread_head_ : 0);
    return unread_head_ > 0 && (limits.max_body == 0 || *head.length <= limits.max_body);
  }

  static constexpr std::size_t longest_kept = 1024;
  std::string last_;  // the bytes of the last plain head, or nothing
  bool begun_ = false;
  bool leaves_body_ = false;
  std::size_t unread_head_ = 0;
  std::uint64_t left_ = 0;
  std::uint64_t told_ = 0;
};

}  // namespace hawser::detail
