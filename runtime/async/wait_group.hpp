// SPDX-License-Identifier: MIT
// Counts the coroutines that use an object, so that the object can wait for the last one before it is destroyed.
#pragma once

#include "event.hpp"
#include "timeout.hpp"

namespace hawser {

class wait_group {
 public:
  wait_group() = default;
  wait_group(const wait_group&) = delete;
  wait_group& operator=(const wait_group&) = delete;
  ~wait_group() { detail::require(count_ == 0, "an object died while coroutines were inside it"); }

  /// Counts one coroutine for as long as it lives.
  class guard {
   public:
    explicit guard(wait_group& of) noexcept : of_(of) { ++of_.count_; }
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;
    ~guard() {
      if (--of_.count_ == 0) of_.zero_.set();
    }

   private:
    wait_group& of_;
  };

  [[nodiscard]] std::size_t count() const noexcept { return count_; }

  /// Waits for the last one. Not cut short by a stop: the caller must have requested all of them to end.
  task<void> wait() {
    auto left = co_await shield(std::chrono::hours{24}, wait_until_zero());
    ignore(left, "they end by what they were told");
  }

 private:
  task<result<void>> wait_until_zero() {
    while (count_ > 0) {
      zero_.reset();
      auto waited = co_await zero_.wait();
      if (!waited) co_return waited;
    }
    co_return {};
  }

  std::size_t count_ = 0;
  event zero_;
};

}  // namespace hawser
