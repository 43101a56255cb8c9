// SPDX-License-Identifier: MIT
// Counts its live instances: put one into frames and closures to check that they are destroyed.
#pragma once

namespace hawser::testing {

class counted {
 public:
  counted() noexcept { ++alive_; }
  counted(const counted&) noexcept { ++alive_; }
  counted(counted&&) noexcept { ++alive_; }
  counted& operator=(const counted&) = default;
  counted& operator=(counted&&) = default;
  ~counted() { --alive_; }

  [[nodiscard]] static long alive() noexcept { return alive_; }

 private:
  static inline long alive_ = 0;  // not thread-safe; tests use it on one thread
};

}  // namespace hawser::testing
