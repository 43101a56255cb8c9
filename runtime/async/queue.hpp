// SPDX-License-Identifier: MIT
// A bounded queue between coroutines of one loop. push waits while the queue is full, pop while it is empty.
#pragma once

#include <deque>

#include "operation.hpp"

namespace hawser {

template <class T>
class queue {
 public:
  explicit queue(std::size_t capacity) : capacity_(capacity) {
    detail::require(capacity > 0, "a queue needs room for one");
  }
  queue(const queue&) = delete;
  queue& operator=(const queue&) = delete;
  ~queue() { detail::require(producers_.empty() && consumers_.empty(), "a queue died while somebody waited on it"); }

  class push_operation final : public operation, private detail::list_node<push_operation> {
   public:
    push_operation(queue& q, T value) : queue_(q), value_(std::move(value)) {}
    [[nodiscard]] bool await_ready() {
      if (queue_.closed_) return true;
      accepted_ = queue_.offer(value_);
      return accepted_;
    }
    result<void> await_resume() const {
      if (accepted_) return {};
      if (cancelled()) return cancelled_error();
      return error{.code = errc::closed, .what = "the queue is closed"};
    }

   private:
    friend class queue;
    friend class detail::list<push_operation, push_operation>;
    void start() override { queue_.producers_.push_back(*this); }
    void cancel() noexcept override { end(); }
    void end() noexcept {
      detail::list_node<push_operation>::unlink();
      complete();
    }
    queue& queue_;
    T value_;
    bool accepted_ = false;
  };

  class pop_operation final : public operation, private detail::list_node<pop_operation> {
   public:
    explicit pop_operation(queue& q) : queue_(q) {}
    [[nodiscard]] bool await_ready() {
      value_ = queue_.try_pop();
      return value_.has_value() || queue_.closed_;
    }
    result<T> await_resume() {
      if (value_) return std::move(*value_);
      if (cancelled()) return cancelled_error();
      return error{.code = errc::closed, .what = "the queue is closed"};
    }

   private:
    friend class queue;
    friend class detail::list<pop_operation, pop_operation>;
    void start() override { queue_.consumers_.push_back(*this); }
    void cancel() noexcept override { end(); }
    void end() noexcept {
      detail::list_node<pop_operation>::unlink();
      complete();
    }
    queue& queue_;
    std::optional<T> value_;
  };

  /// Waits for space. A value that was not accepted, because of a stop or because the queue is closed, is destroyed
  /// with the operation.
  [[nodiscard]] push_operation push(T value) { return push_operation{*this, std::move(value)}; }
  /// Waits for a value. After close() it returns the remaining values, then errc::closed. A value that has been handed
  /// over is not lost to a later stop.
  [[nodiscard]] pop_operation pop() { return pop_operation{*this}; }

  /// False if the queue is full or closed; `value` is then unchanged.
  bool try_push(T& value) { return !closed_ && offer(value); }
  std::optional<T> try_pop() {
    if (items_.empty()) return std::nullopt;
    std::optional<T> first{std::move(items_.front())};
    items_.pop_front();
    if (!producers_.empty()) {
      push_operation& next = producers_.front();
      items_.push_back(std::move(next.value_));
      next.accepted_ = true;
      next.end();
    }
    return first;
  }

  /// Rejects further values. Waiting producers end with errc::closed, and so do consumers once the queue is empty.
  void close() noexcept {
    closed_ = true;
    while (!producers_.empty()) producers_.front().end();
    while (!consumers_.empty()) consumers_.front().end();
  }
  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }

 private:
  bool offer(T& value) {
    if (!consumers_.empty()) {
      pop_operation& next = consumers_.front();
      next.value_.emplace(std::move(value));
      next.end();
      return true;
    }
    if (items_.size() >= capacity_) return false;
    items_.push_back(std::move(value));
    return true;
  }

  std::size_t capacity_;
  std::deque<T> items_;
  detail::list<push_operation, push_operation> producers_;
  detail::list<pop_operation, pop_operation> consumers_;
  bool closed_ = false;
};

}  // namespace hawser
