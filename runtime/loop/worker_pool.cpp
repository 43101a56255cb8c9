// SPDX-License-Identifier: MIT
#include "worker_pool.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "../detail/check.hpp"

namespace hawser {

void worker_pool::run(std::function<void()> job) {
  const std::lock_guard lock{mutex_};
  if (stopping_) return;
  jobs_.push_back(std::move(job));
  if (jobs_.size() > idle_ && threads_.size() < max_threads_) {
    try {
      ids_.push_back(threads_.emplace_back([this] { work(); }).get_id());
    } catch (const std::system_error&) {
      if (!threads_.empty()) return;  // the existing threads will run it
      jobs_.pop_back();
      throw;
    }
  }
  wake_.notify_one();
}

void worker_pool::work() {
  mask_.apply();
  std::unique_lock lock{mutex_};
  for (;;) {
    ++idle_;
    wake_.wait(lock, [&] { return stopping_ || !jobs_.empty(); });
    --idle_;
    if (stopping_) return;
    std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    job = nullptr;  // its destructor may call the pool
    lock.lock();
  }
}

void worker_pool::stop() {
  detail::require(!is_current(), "a pool of threads is not stopped by one of its own");
  std::deque<std::function<void()>> dropped;  // destroyed without the mutex: destructors may call the pool
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
    dropped.swap(jobs_);
  }
  wake_.notify_all();
  for (std::thread& one : threads_) {
    if (one.joinable()) one.join();
  }
  const std::lock_guard lock{mutex_};
  ids_.clear();
}

bool worker_pool::is_current() const {
  const std::lock_guard lock{mutex_};
  return std::find(ids_.begin(), ids_.end(), std::this_thread::get_id()) != ids_.end();
}

}  // namespace hawser
