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
/// and destroyed on one thread.
class writing_signals_blocked {
 public:
  writing_signals_blocked() noexcept {
    sigset_t current{};
    pthread_sigmask(SIG_SETMASK, nullptr, &current);
    sigemptyset(&ours_);
    for (const int number : {SIGPIPE, SIGXFSZ}) {
      if (sigismember(&current, number) == 0) sigaddset(&ours_, number);
    }
    pthread_sigmask(SIG_BLOCK, &ours_, nullptr);
  }
  writing_signals_blocked(const writing_signals_blocked&) = delete;
  writing_signals_blocked& operator=(const writing_signals_blocked&) = delete;
  ~writing_signals_blocked() {
    const timespec at_once{};
    while (sigtimedwait(&ours_, nullptr, &at_once) > 0) {
    }
    pthread_sigmask(SIG_UNBLOCK, &ours_, nullptr);
  }

 private:
  sigset_t ours_{};
};

}  // namespace hawser::detail
