// SPDX-License-Identifier: MIT
// Posts to a loop for callers that may outlive the loop: after close(), posts are dropped.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "loop.hpp"

namespace hawser {

class loop_proxy {
 public:
  explicit loop_proxy(loop& to) noexcept : to_(&to) {}

  /// Any thread. Returns false and drops `f` after close().
  template <class F>
  bool post(F f) {
    const std::lock_guard lock{mutex_};
    return to_ != nullptr && to_->post(std::move(f));
  }
  /// As post(), and then close().
  template <class F>
  bool post_and_close(F f) {
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
  void close() noexcept {
    const std::lock_guard lock{mutex_};
    to_ = nullptr;
  }

 private:
  std::mutex mutex_;
  loop* to_;
};

using loop_proxy_ptr = std::shared_ptr<loop_proxy>;

}  // namespace hawser
