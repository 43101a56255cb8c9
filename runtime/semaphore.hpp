// SPDX-License-Identifier: MIT
// A number of places that coroutines of one loop share; who finds none waits, first come first served.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "operation.hpp"

namespace hawser {

class semaphore {
 public:
  explicit semaphore(std::size_t places) noexcept : places_(places), free_(places) {}
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;
  ~semaphore() {
    detail::require(waiting_.empty(), "a semaphore died while somebody waited for a place");
    detail::require(free_ == places_, "a semaphore died while somebody had a place of it");
  }

  /// A place, given back when it dies.
  class permit {
   public:
    permit() = default;
    permit(permit&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
    permit& operator=(permit&& other) noexcept {
      permit old{std::move(other)};
      std::swap(of_, old.of_);
      return *this;
    }
    ~permit() { give_back(); }
    [[nodiscard]] bool held() const noexcept { return of_ != nullptr; }
    void give_back() noexcept {
      if (semaphore* of = std::exchange(of_, nullptr)) of->returned();
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
      if (semaphore_.free_ == 0) return false;
      --semaphore_.free_;
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

  /// Waits for a place. One that was granted before a stop is handed over. Unbounded: put with_timeout around it.
  [[nodiscard]] acquire_operation acquire() noexcept { return acquire_operation{*this}; }
  /// A place if there is one just now; nobody who waits is overtaken, since there is none as long as somebody does.
  [[nodiscard]] std::optional<permit> try_acquire() noexcept {
    if (free_ == 0) return std::nullopt;
    --free_;
    return permit{*this};
  }
  [[nodiscard]] std::size_t free() const noexcept { return free_; }

 private:
  void returned() noexcept {
    if (waiting_.empty()) {
      ++free_;
    } else {
      waiting_.pop_front().granted();
    }
  }

  std::size_t places_;
  std::size_t free_;
  detail::list<acquire_operation, acquire_operation> waiting_;
};

}  // namespace hawser
