// SPDX-License-Identifier: MIT
// An object that knows how many of its kind are alive: put it into frames and closures to see them end.
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
  static inline long alive_ = 0;  // tests use it on one thread
};

}  // namespace hawser::testing
