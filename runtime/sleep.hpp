// SPDX-License-Identifier: MIT
// Waiting for time to pass.
#pragma once

#include "operation.hpp"

namespace hawser {

class sleep_operation final : public operation, private timer {
 public:
  explicit sleep_operation(duration length) : length_(length) {}
  result<void> await_resume() const {
    if (cancelled()) return cancelled_error();
    return {};
  }

 private:
  void start() override { home().start(*this, length_); }
  void cancel() noexcept override {
    timer::cancel();
    complete();
  }
  void on_expired() noexcept override { complete(); }

  duration length_;
};

/// `co_await sleep_for(2s)`: an error only if a stop came first.
[[nodiscard]] inline sleep_operation sleep_for(duration length) { return sleep_operation{length}; }

class yield_operation final : public operation {
 public:
  void await_resume() const noexcept {}

 private:
  void start() override { complete(); }
  void cancel() noexcept override {}  // never linked when a stop arrives: it completes as it starts
};

/// Lets everything that is ready now go first.
[[nodiscard]] inline yield_operation yield() { return {}; }

}  // namespace hawser
