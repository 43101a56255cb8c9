// SPDX-License-Identifier: MIT
// The embedding program's answer to a handler call: at once or later, from any thread, or never.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "../error.hpp"
#include "../loop/loop_proxy.hpp"
#include "event.hpp"

namespace hawser {

namespace detail {

/// Shared by the caller and the reply, whichever lives longer. Loop thread only, except for the atomics.
template <class T>
struct reply_state {
  enum class phase : std::uint8_t { waiting, called, withdrawn };
  event answered;
  std::optional<T> answer;
  std::optional<error> thrown;  // the handler's exception
  // Whether the handler has been called, or never will be.
  std::atomic<phase> at = phase::waiting;
  // The reply and the handler call. When the last of them ends without an answer, there will be none. The call counts
  // because a handler that throws drops its reply before the exception is recorded.
  std::atomic<int> sources = 2;

  /// Returns false if the caller has stopped waiting; otherwise the handler must be called.
  bool begin_call() noexcept {
    phase before = phase::waiting;
    return at.compare_exchange_strong(before, phase::called);
  }
  /// The caller stops waiting. Returns whether the handler was called before; if not, it never will be.
  bool withdraw() noexcept { return at.exchange(phase::withdrawn) == phase::called; }
  [[nodiscard]] bool is_withdrawn() const noexcept { return at == phase::withdrawn; }
};

template <class T>
void release_source(loop_proxy& proxy, const std::shared_ptr<reply_state<T>>& of) {
  if (of->sources.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  proxy.post([of] { of->answered.set(); });
}

}  // namespace detail

/// Movable; the first answer counts. Dropping it unanswered declines.
template <class T>
class reply {
 public:
  reply(loop_proxy_ptr proxy, std::shared_ptr<detail::reply_state<T>> to) noexcept
      : proxy_(std::move(proxy)), to_(std::move(to)) {}
  reply(reply&&) noexcept = default;
  reply& operator=(reply&& other) noexcept {
    reply old{std::move(other)};
    std::swap(proxy_, old.proxy_);
    std::swap(to_, old.to_);
    return *this;
  }
  ~reply() {
    if (auto to = std::exchange(to_, nullptr)) detail::release_source(*proxy_, to);
  }

  void operator()(T answer) {
    auto to = std::exchange(to_, nullptr);
    if (!to) return;
    proxy_->post([to = std::move(to), answer = std::move(answer)]() mutable {
      if (to->answered.is_set()) return;
      to->answer = std::move(answer);
      to->answered.set();
    });
  }

 private:
  loop_proxy_ptr proxy_;
  std::shared_ptr<detail::reply_state<T>> to_;
};

/// Runs callbacks of the embedding program; if empty, they run on the loop thread and must not block.
using executor = std::function<void(std::function<void()>)>;

}  // namespace hawser
