// SPDX-License-Identifier: MIT
// Waiting until a descriptor of another kind than a stream can be read or written.
#pragma once

#include <cstdint>

#include "../operation.hpp"
#include "handle.hpp"

namespace hawser::detail {

/// `co_await readiness{fd, readiness::kind::readable}`; the descriptor stays open meanwhile. Unbounded.
class readiness final : public operation {
 public:
  enum class kind : std::uint8_t { readable, writable };
  readiness(int fd, kind what) noexcept : fd_(fd), what_(what) {}
  result<void> await_resume();

 private:
  void start() override;
  void cancel() noexcept override;

  int fd_;
  kind what_;
  int status_ = 0;
  owned<uv_poll_t> poll_;
};

}  // namespace hawser::detail
