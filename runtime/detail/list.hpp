// SPDX-License-Identifier: MIT
// An intrusive doubly linked list: linking allocates nothing and unlinking needs no search. An element can be in
// several lists, one per tag.
#pragma once

namespace hawser::detail {

template <class Tag>
class list_node {
 public:
  list_node() = default;
  list_node(const list_node&) = delete;
  list_node& operator=(const list_node&) = delete;
  ~list_node() { unlink(); }

  [[nodiscard]] bool linked() const noexcept { return next_ != nullptr; }

  void unlink() noexcept {
    if (!linked()) return;
    prev_->next_ = next_;
    next_->prev_ = prev_;
    prev_ = next_ = nullptr;
  }

 private:
  template <class T, class U>
  friend class list;
  list_node* prev_ = nullptr;
  list_node* next_ = nullptr;
};

/// Does not own its elements. Its destructor unlinks those that remain.
template <class T, class Tag>
class list {
  using node = list_node<Tag>;

 public:
  list() noexcept { head_.prev_ = head_.next_ = &head_; }
  list(const list&) = delete;
  list& operator=(const list&) = delete;
  ~list() {
    while (!empty()) head_.next_->unlink();
    head_.prev_ = head_.next_ = nullptr;
  }

  [[nodiscard]] bool empty() const noexcept { return head_.next_ == &head_; }
  [[nodiscard]] T& front() const noexcept { return static_cast<T&>(*head_.next_); }

  void push_back(T& element) noexcept {
    node& added = element;
    added.prev_ = head_.prev_;
    added.next_ = &head_;
    head_.prev_->next_ = &added;
    head_.prev_ = &added;
  }

  T& pop_front() noexcept {
    T& first = front();
    static_cast<node&>(first).unlink();
    return first;
  }

 private:
  node head_;
};

}  // namespace hawser::detail
