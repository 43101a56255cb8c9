// SPDX-License-Identifier: MIT
// Waiting until a descriptor of another kind than a stream can be read or written.
#pragma once

#include <cstdint>

#include "../operation.hpp"
#include "handle.hpp"
#include "unique_fd.hpp"

namespace hawser::detail {

/// `co_await readiness{fd, readiness::kind::readable}`. It watches a duplicate, because libuv takes one watcher per
/// descriptor: several may wait for the same thing, and the original may be closed meanwhile. Unbounded.
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
  owned<uv_poll_t> poll_;
};

}  // namespace hawser::detail
