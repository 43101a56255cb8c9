// SPDX-License-Identifier: MIT
// What the loop sleeps on. Streams, the mailbox and the timer are asked for directly, since they are what every
// exchange with a server waits for; libuv, with everything else, is one descriptor among them (ARCHITECTURE.md has the
// numbers).
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <span>

#include "unique_fd.hpp"

namespace hawser::detail {

struct stream_core;

class poller {
 public:
  enum class source : std::uint64_t { mailbox = 1, timer, libuv };  // no address is that small

  poller();  // std::system_error where the system does not let it

  /// Asks for these events of epoll, instead of any it was asked for before; none: forgets the descriptor. Errors and
  /// hang-ups are always told of a descriptor that is not forgotten. False where it cannot be polled.
  bool watch(int fd, std::uint32_t before, std::uint32_t wanted, stream_core* who) noexcept;
  bool watch(int fd, source who) noexcept;

  /// Waits for the first events, or only looks whether there are any.
  enum class patience : bool { look, wait };
  std::span<const epoll_event> poll(patience how) noexcept;

 private:
  bool control(int fd, int operation, epoll_event what) noexcept;
  unique_fd fd_;
  std::array<epoll_event, 64> events_{};
};

}  // namespace hawser::detail
