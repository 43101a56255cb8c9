// SPDX-License-Identifier: MIT
// Cooperative stop within one loop: a tree of `stop_source`s whose nodes live in coroutine frames, so a deadline or a
// scope needs no allocation for it. Loop thread only. `stop_bridge` connects a caller's std::stop_token.
#pragma once

#include <stop_token>

#include "../detail/list.hpp"

namespace hawser {

class stop_source;

/// Called when a stop is requested. `on_stop` only *starts* a cancellation: it must not resume a coroutine, allocate or
/// lock. It runs at most once per link.
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
  /// Stops when `parent` stops. A null parent never stops.
  explicit stop_source(stop_source* parent) noexcept { follow(parent); }

  void follow(stop_source* parent) noexcept {
    if (parent == nullptr) return;
    parent_ = parent;
    if (parent->requested_) {
      request_stop();
    } else {
      parent->callbacks_.push_back(*this);
    }
  }

  [[nodiscard]] bool stop_requested() const noexcept { return requested_; }

  /// Registers a token that another thread may stop. A stop_bridge delivers its stop to this source one loop iteration
  /// later. The token must outlive this source.
  void watch(const std::stop_token& outside) noexcept { external_token_ = &outside; }
  /// Like stop_requested(), but also true if a token registered with watch(), here or on an ancestor, has been stopped
  /// and the bridge has not delivered it yet. Check it before an irreversible step.
  [[nodiscard]] bool stop_requested_anywhere() const noexcept {
    for (const stop_source* at = this; at != nullptr; at = at->parent_) {
      if (at->requested_ || (at->external_token_ != nullptr && at->external_token_->stop_requested())) return true;
    }
    return false;
  }

  /// Precondition: no stop has been requested. The caller checks first, so that no callback runs while it is being
  /// linked.
  void link(stop_callback& callback) noexcept { callbacks_.push_back(callback); }

  void request_stop() noexcept {
    if (requested_) return;
    requested_ = true;
    while (!callbacks_.empty()) callbacks_.pop_front().on_stop();
  }

 private:
  void on_stop() noexcept override { request_stop(); }

  bool requested_ = false;
  const stop_source* parent_ = nullptr;
  const std::stop_token* external_token_ = nullptr;
  detail::list<stop_callback, stop_callback> callbacks_;
};

}  // namespace hawser
