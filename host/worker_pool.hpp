// SPDX-License-Identifier: MIT
// Threads for functions of the embedding program that may block, as native tools do. A thread starts when a job finds
// no idle one, and stays until the end. Not libuv's pool, which is for short jobs and shared with the whole program.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "../runtime/signal_mask.hpp"

namespace hawser {

class worker_pool {
 public:
  explicit worker_pool(std::size_t max_threads) noexcept : max_threads_(max_threads) {}
  worker_pool(const worker_pool&) = delete;
  worker_pool& operator=(const worker_pool&) = delete;
  /// Stops.
  ~worker_pool() { stop(); }

  /// The threads get the signal mask of the caller, not that of whoever needs one more of them. Before the first job.
  void use_signal_mask_of_this_thread() noexcept { mask_ = signal_mask{}; }
  /// Any thread. The job does not throw. Dropped after stop(); std::system_error where there is no thread and none can
  /// be started.
  void run(std::function<void()> job);
  /// Drops the jobs that have not begun, and waits for the others. Idempotent; one caller at a time, not of the pool.
  void stop();
  /// Whether the caller is a job of this pool.
  [[nodiscard]] bool is_current() const;

 private:
  void work();

  const std::size_t max_threads_;
  signal_mask mask_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;  // not changed any more once it is stopping
  std::vector<std::thread::id> ids_;  // of them, until they have ended
  std::size_t idle_ = 0;
  bool stopping_ = false;
};

}  // namespace hawser
