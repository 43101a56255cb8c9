// SPDX-License-Identifier: MIT
// Cooperative stop inside one loop: a tree of `stop_source`s whose nodes live in coroutine frames, so that a deadline
// or a scope allocates nothing for it. Loop thread only; `stop_bridge` brings in a caller's std::stop_token.
#pragma once

#include "detail/list.hpp"

namespace hawser {

class stop_source;

/// Something to be told when a stop is requested. `on_stop` only *starts* a cancellation: it resumes nobody,
/// allocates nothing and takes no lock. It runs at most once per link.
class stop_callback : private detail::list_node<stop_callback> {
 public:
  [[nodiscard]] bool linked() const noexcept { return list_node::linked(); }
  void unlink() noexcept { list_node::unlink(); }

 protected:
  stop_callback() = default;
  ~stop_callback() = default;
  virtual void on_stop() noexcept = 0;

 private:
  friend class stop_source;
  friend class detail::list<stop_callback, stop_callback>;
};

class stop_source final : private stop_callback {
 public:
  stop_source() = default;
  /// Stops when `parent` does; a null parent never stops.
  explicit stop_source(stop_source* parent) noexcept { follow(parent); }

  void follow(stop_source* parent) noexcept {
    if (parent == nullptr) return;
    if (parent->requested_) {
      request_stop();
    } else {
      parent->callbacks_.push_back(*this);
    }
  }

  [[nodiscard]] bool stop_requested() const noexcept { return requested_; }

  /// Precondition: not requested yet; a caller looks first, so that no callback runs inside its own start.
  void link(stop_callback& callback) noexcept { callbacks_.push_back(callback); }

  void request_stop() noexcept {
    if (requested_) return;
    requested_ = true;
    while (!callbacks_.empty()) callbacks_.pop_front().on_stop();
  }

 private:
  void on_stop() noexcept override { request_stop(); }

  bool requested_ = false;
  detail::list<stop_callback, stop_callback> callbacks_;
};

}  // namespace hawser
