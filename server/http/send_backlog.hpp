// SPDX-License-Identifier: MIT
// Counts the bytes that clients have not read: of one session, of one client, of all clients, each counted in the
// next. Reports when there is too much; refuses nothing itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "../../runtime/async/event.hpp"
#include "../../runtime/async/semaphore.hpp"

namespace hawser {

class send_backlog {
 public:
  /// Bytes counted here are also counted in `above`, if it is set, except the first `uncounted` bytes: those always
  /// have room, whatever other sessions leave unread.
  explicit send_backlog(std::size_t limit, std::shared_ptr<send_backlog> parent = nullptr, std::size_t uncounted = 0)
      : limit_(limit), uncounted_(uncounted), parent_(std::move(parent)) {}
  send_backlog(const send_backlog&) = delete;
  send_backlog& operator=(const send_backlog&) = delete;
  ~send_backlog() { remove(bytes_); }

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Whether no further response should be produced before some bytes are read. Well below the limit, because
  /// responses in progress need room, too.
  [[nodiscard]] bool congested() const noexcept { return bytes_ > limit_ / 4; }
  /// Whether `more` bytes stay within the limits. If nothing is queued, any size does: the service decides how large
  /// one response may be.
  [[nodiscard]] bool has_room(std::size_t more) const noexcept {
    if (bytes_ > 0 && more > limit_ - std::min(bytes_, limit_)) return false;
    const std::size_t more_above = counted(bytes_ + more) - counted(bytes_);
    return parent_ == nullptr || more_above == 0 || parent_->has_room(more_above);
  }
  void add(std::size_t bytes) noexcept {
    if (parent_ != nullptr) parent_->add(counted(bytes_ + bytes) - counted(bytes_));
    bytes_ += bytes;
  }
  void remove(std::size_t bytes) noexcept {
    if (parent_ != nullptr) parent_->remove(counted(bytes_) - counted(bytes_ - bytes));
    bytes_ -= bytes;
    decreased_.set();
  }

  /// Set whenever the count may have decreased. A waiter resets it first, and checks again afterwards.
  [[nodiscard]] event& decreased() noexcept { return decreased_; }
  /// Serializes waiters, so that they continue one after the other.
  [[nodiscard]] semaphore& turns() noexcept { return turns_; }
  [[nodiscard]] send_backlog* parent() const noexcept { return parent_.get(); }

 private:
  [[nodiscard]] std::size_t counted(std::size_t bytes) const noexcept {
    return std::max(bytes, uncounted_) - uncounted_;
  }

  std::size_t limit_;
  std::size_t uncounted_;
  std::size_t bytes_ = 0;
  event decreased_;
  semaphore turns_{1};
  std::shared_ptr<send_backlog> parent_;
};

}  // namespace hawser
