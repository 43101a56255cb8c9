// SPDX-License-Identifier: MIT
// The signals that writing can raise, held back on a thread.
#pragma once

#include <pthread.h>

#include <csignal>
#include <ctime>

namespace hawser::detail {

/// A write to a dead child raises SIGPIPE on the writing thread, and one beyond the limit for files, which holds for
/// files in memory as well, SIGXFSZ. A library may not change the process's dispositions, but it may block signals on
/// its own loop thread; one that is pending must not strike when the mask is restored, so it is taken away first. Made
/// and destroyed on one thread, in any order: the last of several on a thread restores what the first one found.
class writing_signals_blocked {
 public:
  writing_signals_blocked() noexcept {
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
  writing_signals_blocked(const writing_signals_blocked&) = delete;
  writing_signals_blocked& operator=(const writing_signals_blocked&) = delete;
  ~writing_signals_blocked() {
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
