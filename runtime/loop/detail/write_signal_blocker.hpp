// SPDX-License-Identifier: MIT
// Blocks the signals that a write can raise on the current thread.
#pragma once

#include <pthread.h>

#include <csignal>
#include <ctime>

namespace hawser::detail {

/// Writing to a pipe without a reader raises SIGPIPE on the writing thread; exceeding the file size limit, which also
/// applies to memory files, raises SIGXFSZ. A library must not change the signal dispositions of the process, but it
/// may block signals on its own loop thread. A pending signal is consumed before the mask is restored, so that it is
/// not delivered then. Constructed and destroyed on the same thread.
class write_signal_blocker {
 public:
  write_signal_blocker() noexcept {
    thread_state& here = of_this_thread();
    if (here.holders++ > 0) return;
    sigset_t current{};
    pthread_sigmask(SIG_SETMASK, nullptr, &current);
    sigemptyset(&here.ours);
    for (const int number : {SIGPIPE, SIGXFSZ}) {
      if (sigismember(&current, number) == 0) sigaddset(&here.ours, number);
    }
    pthread_sigmask(SIG_BLOCK, &here.ours, nullptr);
  }
  write_signal_blocker(const write_signal_blocker&) = delete;
  write_signal_blocker& operator=(const write_signal_blocker&) = delete;
  ~write_signal_blocker() {
    const thread_state& here = of_this_thread();
    if (--of_this_thread().holders > 0) return;
    const timespec at_once{};
    while (sigtimedwait(&here.ours, nullptr, &at_once) > 0) {
    }
    pthread_sigmask(SIG_UNBLOCK, &here.ours, nullptr);
  }

 private:
  struct thread_state {
    int holders = 0;
    sigset_t ours{};  // those that were not blocked before
  };
  // The mask that it counts for is the thread's, too.
  static thread_state& of_this_thread() noexcept {
    static thread_local thread_state state;
    return state;
  }
};

}  // namespace hawser::detail
