// SPDX-License-Identifier: MIT
// Counts the bytes of an http_channel's messages that were not sent yet, and lets senders wait until there are none.
#pragma once

#include <cstddef>
#include <utility>

#include "../../../runtime/async/event.hpp"
#include "outbound_post.hpp"

namespace hawser::detail {

class unsent_bytes {
 public:
  [[nodiscard]] std::size_t total() const noexcept { return total_; }
  void add(outbound_post& post) noexcept {
    post.unsent = post.body.size();
    total_ += post.unsent;
  }
  /// Only the first call for a message counts.
  void mark_sent(outbound_post& post) noexcept {
    total_ -= std::exchange(post.unsent, 0);
    if (total_ == 0) none_.set();
  }
  /// Ends all waits, now and later.
  void close() noexcept {
    closed_ = true;
    none_.set();
  }
  /// Waits until everything is sent, or for close(). Unbounded.
  task<result<void>> drained() {
    while (total_ > 0 && !closed_) {
      none_.reset();
      auto sent = co_await none_.wait();
      if (!sent) co_return sent;
    }
    co_return {};
  }

 private:
  std::size_t total_ = 0;
  event none_;
  bool closed_ = false;
};

}  // namespace hawser::detail
