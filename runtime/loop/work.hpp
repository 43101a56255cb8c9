// SPDX-License-Identifier: MIT
// An item of the loop's ready queue. The object that embeds it owns it and must keep it alive until it has run.
#pragma once

#include <coroutine>

#include "../detail/check.hpp"

namespace hawser {

class work {
 public:
  work() = default;
  work(const work&) = delete;
  work& operator=(const work&) = delete;

  [[nodiscard]] bool queued() const noexcept { return queued_; }

 protected:
  ~work() { detail::require(!queued_, "an item of the ready queue died before its turn"); }

  /// Called on the loop thread. The item has left the queue; it may be queued again or destroyed.
  virtual void run() noexcept {}
  /// Called instead of run() if the loop is destroyed first.
  virtual void drop() noexcept {}

  /// For an item that only resumes a coroutine; it needs no run().
  void set_coroutine(std::coroutine_handle<> waiting) noexcept { coroutine_ = waiting; }

 private:
  friend class work_queue;
  std::coroutine_handle<> coroutine_;
  work* next_ = nullptr;
  bool queued_ = false;
};

/// A FIFO queue, linked through the items.
class work_queue {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

  void push(work& item) noexcept {
    detail::require(!item.queued_, "an item was queued twice");
    item.queued_ = true;
    item.next_ = nullptr;
    (last_ != nullptr ? last_->next_ : first_) = &item;
    last_ = &item;
  }

  void append(work_queue& other) noexcept {
    if (other.empty()) return;
    (last_ != nullptr ? last_->next_ : first_) = other.first_;
    last_ = other.last_;
    other.first_ = other.last_ = nullptr;
  }

  /// Precondition: not empty.
  void run_first() noexcept {
    work& item = take();
    // The common case avoids a virtual call: after a context switch between processes every indirect jump is
    // mispredicted.
    if (item.coroutine_) {
      item.coroutine_.resume();
    } else {
      item.run();
    }
  }
  void drop_all() noexcept {
    while (!empty()) take().drop();
  }

 private:
  work& take() noexcept {
    work& item = *first_;
    first_ = item.next_;
    if (first_ == nullptr) last_ = nullptr;
    item.queued_ = false;
    return item;
  }

  work* first_ = nullptr;
  work* last_ = nullptr;
};

}  // namespace hawser
