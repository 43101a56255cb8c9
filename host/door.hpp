// SPDX-License-Identifier: MIT
// A way back into a loop for somebody who may live longer than the loop: posts through it are dropped once it is shut.
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

  /// Any thread. False, and `f` is dropped, if the door is shut.
  template <class F>
  bool post(F f) {
    const std::lock_guard lock{mutex_};
    return to_ != nullptr && to_->post(std::move(f));
  }
  /// The same, and nothing is posted after it.
  template <class F>
  bool post_last(F f) {
    const std::lock_guard lock{mutex_};
    loop* to = std::exchange(to_, nullptr);
    return to != nullptr && to->post(std::move(f));
  }
  /// Any thread: a line for the loop's log, which is written on the loop thread only.
  void log_error(std::string subject, std::string text) {
    const std::lock_guard lock{mutex_};
    if (to_ == nullptr) return;
    to_->post([to = to_, subject = std::move(subject), text = std::move(text)] {
      to->log().write(log_level::error, subject, text);
    });
  }
  /// Before the loop ends.
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
