// SPDX-License-Identifier: MIT
// Measures the scheduling delay of this machine while a test runs: a bound of milliseconds is meaningless if other
// programs occupy the processors for longer than that.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace hawser::testing {

class scheduling_delay {
 public:
  scheduling_delay() : thread_([this] { watch(); }) {}
  scheduling_delay(const scheduling_delay&) = delete;
  scheduling_delay& operator=(const scheduling_delay&) = delete;
  ~scheduling_delay() {
    ending_ = true;
    thread_.join();
  }

  /// The longest wake-up delay so far of a thread that does nothing else.
  [[nodiscard]] std::chrono::nanoseconds worst() const noexcept { return worst_.load(); }

 private:
  void watch() {
    while (!ending_) {
      const auto due = std::chrono::steady_clock::now() + std::chrono::milliseconds{1};
      std::this_thread::sleep_until(due);
      const std::chrono::nanoseconds late = std::chrono::steady_clock::now() - due;
      if (late > worst_.load()) worst_ = late;
    }
  }

  std::atomic<bool> ending_ = false;
  std::atomic<std::chrono::nanoseconds> worst_{};
  std::thread thread_;
};

}  // namespace hawser::testing
