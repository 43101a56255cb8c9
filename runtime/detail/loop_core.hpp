// SPDX-License-Identifier: MIT
// The libuv side of a loop: for the sources of runtime/ only.
#pragma once

#include <uv.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>

#include "../error.hpp"
#include "../loop.hpp"

namespace hawser::detail {

struct loop_core {
  // The loop's own, unless it is attached to one of the embedding program.
  uv_loop_t owned{};
  uv_loop_t* uv = &owned;

  // The loop's own handles. Coroutines run before and after each poll; `busy` is active while the poll must not sleep.
  uv_prepare_t before_poll{};
  uv_check_t after_poll{};
  uv_idle_t busy{};
  uv_timer_t timer{};  // the whole timer queue under one handle
  uv_async_t wake{};
  std::size_t own_handles = 0;  // of these, open or closing

  // Handles of streams, children, signals and so on that libuv has not closed yet, and jobs of its pool.
  std::size_t in_use = 0;
  // Told when the last one of them is gone, or when the last one of the loop's own handles is.
  std::function<void()> on_idle;

  // Bytes that streams have read so far.
  std::uint64_t bytes_read = 0;
  // Called where one event ends and the next one begins, for measurements. An event is one piece of ready work, what
  // one descriptor brings, or the timers that have expired.
  std::function<void()> between_events;

  // What other threads posted. Closing clears `open` under the mutex and then waits for those who are about to send.
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
    if (--in_use == 0) tell_idle();
  }
  void tell_idle() const {
    const std::function<void()> told = on_idle;  // which may destroy this object
    if (told) told();
  }
};

inline uv_loop_t* uv_of(loop& l) noexcept { return l.core().uv; }

/// Where a libuv status enters the house.
error from_uv(int status, std::string_view subject);
/// Where an errno enters the house.
error from_errno(int number, std::string_view subject);

}  // namespace hawser::detail
