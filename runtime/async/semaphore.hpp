// SPDX-License-Identifier: MIT
// A counting semaphore for the coroutines of one loop. Waiters are served in FIFO order.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "operation.hpp"

namespace hawser {

class semaphore {
 public:
  explicit semaphore(std::size_t permits) noexcept : permits_(permits), available_(permits) {}
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;
  ~semaphore() {
    detail::require(waiting_.empty(), "a semaphore died while somebody waited for a place");
    detail::require(available_ == permits_, "a semaphore died while somebody had a place of it");
  }

  /// One unit of the semaphore; its destructor releases it.
  class permit {
   public:
    permit() = default;
    permit(permit&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
    permit& operator=(permit&& other) noexcept {
      permit old{std::move(other)};
      std::swap(of_, old.of_);
      return *this;
    }
    ~permit() { release(); }
    [[nodiscard]] bool held() const noexcept { return of_ != nullptr; }
    void release() noexcept {
      if (semaphore* of = std::exchange(of_, nullptr)) of->release_permit();
    }

   private:
    friend class semaphore;
    explicit permit(semaphore& of) noexcept : of_(&of) {}
    semaphore* of_ = nullptr;
  };

  class acquire_operation final : public operation, private detail::list_node<acquire_operation> {
   public:
    explicit acquire_operation(semaphore& s) noexcept : semaphore_(s) {}
    [[nodiscard]] bool await_ready() noexcept {
      if (semaphore_.available_ == 0) return false;
      --semaphore_.available_;
      granted_ = true;
      return true;
    }
    result<permit> await_resume() {
      if (!granted_) return cancelled_error();
      return permit{semaphore_};
    }

   private:
    friend class semaphore;
    friend class detail::list<acquire_operation, acquire_operation>;
    void start() override { semaphore_.waiting_.push_back(*this); }
    void cancel() noexcept override {
      detail::list_node<acquire_operation>::unlink();
      complete();
    }
    void granted() noexcept {
      granted_ = true;
      complete();
    }
    semaphore& semaphore_;
    bool granted_ = false;
  };

  /// Waits for a permit. A permit granted before a stop is delivered. Unbounded: use with_timeout.
  [[nodiscard]] acquire_operation acquire() noexcept { return acquire_operation{*this}; }
  /// A permit if one is free now. It cannot overtake a waiter, because no permit is free while a coroutine waits.
  [[nodiscard]] std::optional<permit> try_acquire() noexcept {
    if (available_ == 0) return std::nullopt;
    --available_;
    return permit{*this};
  }
  [[nodiscard]] std::size_t available() const noexcept { return available_; }

 private:
  void release_permit() noexcept {
    if (waiting_.empty()) {
      ++available_;
    } else {
      waiting_.pop_front().granted();
    }
  }

  std::size_t permits_;
  std::size_t available_;
  detail::list<acquire_operation, acquire_operation> waiting_;
};

}  // namespace hawser
