// SPDX-License-Identifier: MIT
// How much waits to be read by clients: of one session, of one client, of all of them, each counted in the next. Says
// when there is too much; refuses nothing by itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "../runtime/event.hpp"
#include "../runtime/semaphore.hpp"

namespace hawser {

class unread_bytes {
 public:
  /// What is counted here is counted in `above`, too, where there is one, but for the first `uncounted` bytes: those
  /// have room whatever others leave unread.
  explicit unread_bytes(std::size_t limit, std::shared_ptr<unread_bytes> above = nullptr, std::size_t uncounted = 0)
      : limit_(limit), uncounted_(uncounted), above_(std::move(above)) {}
  unread_bytes(const unread_bytes&) = delete;
  unread_bytes& operator=(const unread_bytes&) = delete;
  ~unread_bytes() { remove(bytes_); }

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Whether no other answer should be made before some of it was read: well below the limit, since answers that are
  /// being made already have to find room, too.
  [[nodiscard]] bool crowded() const noexcept { return bytes_ > limit_ / 4; }
  /// Whether so many more stay within the limits. Where nothing waits, anything does: how large one answer is, is the
  /// service's decision.
  [[nodiscard]] bool has_room(std::size_t more) const noexcept {
    if (bytes_ > 0 && more > limit_ - std::min(bytes_, limit_)) return false;
    const std::size_t more_above = counted(bytes_ + more) - counted(bytes_);
    return above_ == nullptr || more_above == 0 || above_->has_room(more_above);
  }
  void add(std::size_t bytes) noexcept {
    if (above_ != nullptr) above_->add(counted(bytes_ + bytes) - counted(bytes_));
    bytes_ += bytes;
  }
  void remove(std::size_t bytes) noexcept {
    if (above_ != nullptr) above_->remove(counted(bytes_) - counted(bytes_ - bytes));
    bytes_ -= bytes;
    moved_.set();
  }

  /// Set whenever it may have become less. Who waits resets it first, and looks again afterwards.
  [[nodiscard]] event& moved() noexcept { return moved_; }
  /// Who has waited goes on in turn, one after the other.
  [[nodiscard]] semaphore& turns() noexcept { return turns_; }
  [[nodiscard]] unread_bytes* above() const noexcept { return above_.get(); }

 private:
  [[nodiscard]] std::size_t counted(std::size_t bytes) const noexcept {
    return std::max(bytes, uncounted_) - uncounted_;
  }

  std::size_t limit_;
  std::size_t uncounted_;
  std::size_t bytes_ = 0;
  event moved_;
  semaphore turns_{1};
  std::shared_ptr<unread_bytes> above_;
};

}  // namespace hawser
