// SPDX-License-Identifier: MIT
// Posts to a loop for callers that may outlive the loop: after shut(), posts are dropped.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "../runtime/loop.hpp"

namespace hawser {

class door {
 public:
  explicit door(loop& to) noexcept : to_(&to) {}

  /// Any thread. Returns false and drops `f` after shut().
  template <class F>
  bool post(F f) {
    const std::lock_guard lock{mutex_};
    return to_ != nullptr && to_->post(std::move(f));
  }
  /// As post(), and then shut().
  template <class F>
  bool post_last(F f) {
    const std::lock_guard lock{mutex_};
    loop* to = std::exchange(to_, nullptr);
    return to != nullptr && to->post(std::move(f));
  }
  /// Any thread: writes to the loop's log, on the loop thread.
  void log_error(std::string subject, std::string text) {
    const std::lock_guard lock{mutex_};
    if (to_ == nullptr) return;
    to_->post([to = to_, subject = std::move(subject), text = std::move(text)] {
      to->log().write(log_level::error, subject, text);
    });
  }
  /// Call before the loop ends.
  void shut() noexcept {
    const std::lock_guard lock{mutex_};
    to_ = nullptr;
  }

 private:
  std::mutex mutex_;
  loop* to_;
};

using door_ref = std::shared_ptr<door>;

}  // namespace hawser
