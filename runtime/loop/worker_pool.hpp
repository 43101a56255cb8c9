// SPDX-License-Identifier: MIT
// Threads for callbacks of the embedding program that may block, such as native tools. A thread starts when no idle one
// is available, and lives until stop(). Not libuv's pool, which is for short jobs and shared with the whole program.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "signal_mask.hpp"

namespace hawser {

class worker_pool {
 public:
  explicit worker_pool(std::size_t max_threads) noexcept : max_threads_(max_threads) {}
  worker_pool(const worker_pool&) = delete;
  worker_pool& operator=(const worker_pool&) = delete;
  ~worker_pool() { stop(); }

  /// The pool's threads use the caller's signal mask, not that of the thread that happens to start them. Call before
  /// the first job.
  void use_signal_mask_of_this_thread() noexcept { mask_ = signal_mask{}; }
  /// Any thread. The job must not throw. After stop() it is dropped. Throws std::system_error if there is no thread and
  /// none can be created.
  void run(std::function<void()> job);
  /// Drops the jobs that have not started and waits for the others. Idempotent; one caller at a time, not from a job of
  /// the pool.
  void stop();
  /// Whether the caller runs in a job of this pool.
  [[nodiscard]] bool is_current() const;

 private:
  void work();

  const std::size_t max_threads_;
  signal_mask mask_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;  // not changed once stopping
  std::vector<std::thread::id> ids_;  // until they are joined
  std::size_t idle_ = 0;
  bool stopping_ = false;
};

}  // namespace hawser
