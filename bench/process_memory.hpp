// SPDX-License-Identifier: MIT
// The memory of a process and of its descendants, from /proc.
#pragma once

namespace hawser::bench {

struct memory_use {
  double rss_kb = 0;  ///< resident; shared pages count for each process
  double pss_kb = 0;  ///< proportional: shared pages are divided among their users
  int processes = 0;
  int threads = 0;

  memory_use& operator+=(const memory_use& more) noexcept;
};

/// Of one process; all zero if it is gone.
memory_use memory_of(int pid);

/// Of a server started by a keeper: all descendants of its warden, including those that left the process group. The
/// warden itself is not counted.
memory_use server_memory_of(int pid);

}  // namespace hawser::bench
