// SPDX-License-Identifier: MIT
// Starting the keeper program itself and seeing it end. For the sources of runtime/ only.
#pragma once

#include <memory>
#include <string>

#include "../clock.hpp"
#include "../error.hpp"
#include "../event.hpp"
#include "handle.hpp"
#include "unique_fd.hpp"

namespace hawser::detail {

/// Ends a conversation even where a process that the embedding program has forked holds a copy of our end.
void hang_up(unique_fd& socket) noexcept;

struct keeper_process {
  unique_fd socket;       // requests go here; its end ends the keeper
  unique_fd process;      // a pidfd …
  owned<uv_poll_t> poll;  // … and what watches it, one handle for all who wait
  event ended;            // seen, not reaped: an embedder that waits for any child may be faster
  bool killed = false;    // by us
  time_point alive_at{};  // when it last had nothing left to take, or was heard of
  uid_t user = geteuid();
  gid_t group = getegid();

  /// Takes a fraction of a millisecond on the loop thread, once per host.
  static result<std::shared_ptr<keeper_process>> start(loop& home, const std::string& path);

  /// Whether what it starts would run as who we are now.
  [[nodiscard]] bool same_user() const noexcept { return user == geteuid() && group == getegid(); }
  /// Takes the exit status of exactly this process, if nobody else has.
  void reap() noexcept;
  /// What it started lives on with its wardens.
  void kill() noexcept;

 private:
  result<void> watch(loop& home);
};

}  // namespace hawser::detail
