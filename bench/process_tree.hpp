// SPDX-License-Identifier: MIT
// What a process and everybody it started have in memory, from /proc.
#pragma once

namespace hawser::bench {

struct memory_use {
  double rss_kb = 0;  ///< resident; pages that several share are counted for each
  double pss_kb = 0;  ///< proportional: shared pages divided among who shares them
  int processes = 0;
  int threads = 0;

  memory_use& operator+=(const memory_use& more) noexcept;
};

/// Of one process; nothing of one that is gone.
memory_use memory_of(int pid);

/// Of a server that a keeper started: all that its warden has below it, also who left its group. The warden itself is
/// not the server's.
memory_use server_memory_of(int pid);

}  // namespace hawser::bench
