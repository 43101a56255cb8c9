// SPDX-License-Identifier: MIT
// The libuv side of a loop: for the sources of runtime/ only.
#pragma once

#include <uv.h>

#include <mutex>
#include <string_view>

#include "../error.hpp"
#include "../loop.hpp"

namespace hawser::detail {

struct loop_core {
  uv_loop_t uv{};
  bool running = false;
  uv_async_t wake{};
  uv_prepare_t before_poll{};
  uv_idle_t poll_without_waiting{};  // active while there is something to do besides waiting for descriptors

  // The whole timer queue under one timerfd. A libuv timer would give every epoll_wait a limit, which costs the kernel
  // a timer of its own each time, rounds to milliseconds, and before libuv 1.45 may be run ahead of a poll that then
  // waits for ever.
  int timer_fd = -1;
  uv_poll_t timer{};

  // What other threads posted. uv_async_send happens under the mutex and closing clears `open` under it first, so no
  // send can race with the close (libuv#3626).
  std::mutex mailbox_mutex;
  work_queue mailbox;
  bool open = true;
};

inline uv_loop_t* uv_of(loop& l) noexcept { return &l.core().uv; }

/// Where a libuv status enters the house.
error from_uv(int status, std::string_view subject);
/// Where an errno enters the house.
error from_errno(int number, std::string_view subject);

}  // namespace hawser::detail
