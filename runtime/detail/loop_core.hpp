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
#include "poller.hpp"

namespace hawser::detail {

struct loop_core {
  poller waiting;
  // How many streams have not closed yet.
  std::size_t streams = 0;
  // Bytes that streams have read so far.
  std::uint64_t bytes_read = 0;
  // Called where one event ends and the next one begins, for measurements. An event is one piece of ready work, what
  // one descriptor brings, the callbacks of libuv, or the timers that have expired.
  std::function<void()> between_events;

  uv_loop_t uv{};
  uv_prepare_t keeps_alive{};
  // Something was started or closed on libuv's loop: it looks at that only when it is run.
  bool uv_touched = true;

  // The whole timer queue under one timerfd. A libuv timer, or a limit for epoll_wait, costs the kernel a timer of its
  // own each time and rounds to milliseconds.
  unique_fd timer;

  // What other threads posted. Closing clears `open` under the mutex and then waits for those who are writing to the
  // eventfd.
  unique_fd wake;
  std::mutex mailbox_mutex;
  work_queue mailbox;
  bool open = true;
  std::atomic<int> wakers = 0;

  void event_ended() const {
    if (between_events) [[unlikely]]
      between_events();
  }
};

/// For whoever starts something on libuv's loop; the loop will look at it at its next turn.
inline uv_loop_t* uv_of(loop& l) noexcept {
  l.core().uv_touched = true;
  return &l.core().uv;
}

/// Where a libuv status enters the house.
error from_uv(int status, std::string_view subject);
/// Where an errno enters the house.
error from_errno(int number, std::string_view subject);

}  // namespace hawser::detail
