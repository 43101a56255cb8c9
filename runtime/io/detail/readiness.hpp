// SPDX-License-Identifier: MIT
// Waits until a descriptor that is not a stream becomes readable or writable.
#pragma once

#include <cstdint>

#include "../../async/operation.hpp"
#include "../../loop/detail/handle.hpp"
#include "unique_fd.hpp"

namespace hawser::detail {

/// `co_await readiness{fd, readiness::kind::readable}`. It polls a duplicate, because libuv allows one poll handle per
/// descriptor: several coroutines can wait for the same descriptor, and the original can be closed meanwhile.
/// Unbounded.
class readiness final : public operation {
 public:
  enum class kind : std::uint8_t { readable, writable };
  readiness(int fd, kind what) noexcept;
  result<void> await_resume();

 private:
  void start() override;
  void cancel() noexcept override;

  unique_fd fd_;
  kind what_;
  int status_ = 0;
  unique_handle<uv_poll_t> poll_;
};

}  // namespace hawser::detail
