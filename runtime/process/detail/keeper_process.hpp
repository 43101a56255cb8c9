// SPDX-License-Identifier: MIT
// Starts the keeper program and detects its exit. For the sources of runtime/ only.
#pragma once

#include <memory>
#include <string>

#include "../../async/event.hpp"
#include "../../error.hpp"
#include "../../io/detail/unique_fd.hpp"
#include "../../loop/clock.hpp"
#include "../../loop/detail/handle.hpp"

namespace hawser::detail {

/// Shuts down and closes the socket. close alone would not suffice: a process forked by the embedding program may hold
/// a copy of the descriptor.
void hang_up(unique_fd& socket) noexcept;

struct keeper_process {
  unique_fd socket;               // for requests; closing it ends the keeper
  unique_fd process;              // a pidfd
  unique_handle<uv_poll_t> poll;  // polls the pidfd, for all waiters
  event ended;                    // exited, perhaps not reaped: an embedder that waits for any child may reap it first
  bool killed = false;            // by this host
  time_point last_responsive_at{};  // when it last had no unread requests, or answered
  uid_t user = geteuid();
  gid_t group = getegid();

  /// Blocks the loop thread for a fraction of a millisecond, once per host.
  static result<std::shared_ptr<keeper_process>> start(loop& event_loop, const std::string& path);

  /// Whether processes started by the keeper would run with our current user and group.
  [[nodiscard]] bool same_user() const noexcept { return user == geteuid() && group == getegid(); }
  /// Reaps exactly this process, unless it has been reaped already.
  void reap() noexcept;
  /// The wardens and their children keep running.
  void kill() noexcept;

 private:
  result<void> watch(loop& event_loop);
};

}  // namespace hawser::detail
