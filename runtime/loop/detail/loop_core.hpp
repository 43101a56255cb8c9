// SPDX-License-Identifier: MIT
// The libuv part of a loop; for the sources of runtime/ only.
#pragma once

#include <uv.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>

#include "../../error.hpp"
#include "../loop.hpp"

namespace hawser::detail {

struct loop_core {
  // Points to `owned`, or to the embedding program's loop if attached.
  uv_loop_t owned{};
  uv_loop_t* uv = &owned;

  // The loop's own handles. Coroutines run before and after each poll. `busy` is active while the poll must not sleep.
  uv_prepare_t before_poll{};
  uv_check_t after_poll{};
  uv_idle_t busy{};
  uv_timer_t timer{};  // drives the whole timer queue
  uv_async_t wake{};
  std::size_t own_handles = 0;  // how many of these are open or closing

  // Handles of streams, children, signals and so on that libuv has not closed yet, plus pool jobs.
  std::size_t in_use = 0;
  // Called when `in_use` or `own_handles` reaches zero.
  std::function<void()> on_idle;

  // Bytes read by all streams.
  std::uint64_t bytes_read = 0;
  // Called between two events, for measurements. An event is one work item, one readiness callback of a descriptor, or
  // one expiry of timers.
  std::function<void()> between_events;

  // Work items posted by other threads. Closing clears `open` under the mutex and then waits until `senders` is zero.
  std::mutex mailbox_mutex;
  work_queue mailbox;
  bool open = true;
  std::atomic<int> senders = 0;

  void event_ended() const {
    if (between_events) [[unlikely]]
      between_events();
  }

  void acquired() noexcept { ++in_use; }
  void released() noexcept {
    if (--in_use == 0) notify_idle();
  }
  void notify_idle() const {
    const std::function<void()> told = on_idle;  // a copy: the callback may destroy this object
    if (told) told();
  }
};

inline uv_loop_t* uv_of(loop& l) noexcept { return l.core().uv; }

/// Converts a libuv status.
error from_uv(int status, std::string_view subject);
/// Converts an errno.
error from_errno(int number, std::string_view subject);

}  // namespace hawser::detail
