// SPDX-License-Identifier: MIT
// Counts the coroutines that use an object, so that the object can wait for the last one before it is destroyed.
#pragma once

#include "../runtime/event.hpp"
#include "../runtime/timeout.hpp"

namespace hawser {

class usage {
 public:
  usage() = default;
  usage(const usage&) = delete;
  usage& operator=(const usage&) = delete;
  ~usage() { detail::require(users_ == 0, "an object died while coroutines were inside it"); }

  /// Counts one coroutine for as long as it lives.
  class mark {
   public:
    explicit mark(usage& of) noexcept : of_(of) { ++of_.users_; }
    mark(const mark&) = delete;
    mark& operator=(const mark&) = delete;
    ~mark() {
      if (--of_.users_ == 0) of_.unused_.set();
    }

   private:
    usage& of_;
  };

  [[nodiscard]] std::size_t users() const noexcept { return users_; }

  /// Waits for the last one. Not cut short by a stop: the caller must have requested all of them to end.
  task<void> ended() {
    auto left = co_await shield(std::chrono::hours{24}, unused());
    ignore(left, "they end by what they were told");
  }

 private:
  task<result<void>> unused() {
    while (users_ > 0) {
      unused_.reset();
      auto waited = co_await unused_.wait();
      if (!waited) co_return waited;
    }
    co_return {};
  }

  std::size_t users_ = 0;
  event unused_;
};

}  // namespace hawser
