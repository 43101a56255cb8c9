// SPDX-License-Identifier: MIT
// An item of the loop's ready queue. It belongs to whoever embeds it and must outlive its turn.
#pragma once

#include <coroutine>

#include "detail/check.hpp"

namespace hawser {

class work {
 public:
  work() = default;
  work(const work&) = delete;
  work& operator=(const work&) = delete;

  [[nodiscard]] bool queued() const noexcept { return queued_; }

 protected:
  ~work() { detail::require(!queued_, "an item of the ready queue died before its turn"); }

  /// Its turn, on the loop thread; the item is out of the queue and may be queued again or destroyed.
  virtual void run() noexcept {}
  /// Instead of run() when the loop ended first.
  virtual void drop() noexcept {}

  /// For an item whose turn is the resumption of a coroutine: that needs no run().
  void resumes(std::coroutine_handle<> waiting) noexcept { resumes_ = waiting; }

 private:
  friend class work_queue;
  std::coroutine_handle<> resumes_;
  work* next_ = nullptr;
  bool queued_ = false;
};

/// First in, first out, linked through the items.
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
    // The common case is kept free of a virtual call: after a switch of processes every indirect jump is mispredicted.
    if (item.resumes_) {
      item.resumes_.resume();
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
