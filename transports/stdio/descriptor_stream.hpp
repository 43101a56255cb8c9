// SPDX-License-Identifier: MIT
// A stream over a file descriptor that the caller owns, such as stdin: a pipe, a socket, a terminal, a file or
// /dev/null. The descriptor stays open, and close() restores its flags.
#pragma once

#include <optional>

#include "../../runtime/async/scope.hpp"
#include "../../runtime/io/stream.hpp"

namespace hawser {

class descriptor_stream {
 public:
  enum class direction : std::uint8_t { in, out };

  /// Where the descriptor cannot be polled, a copy task is spawned into `copying`. For reading, stop and join `copying`
  /// after close(). For writing, only join it, because a stop would lose the last bytes sent.
  static result<descriptor_stream> open(scope& copying, loop& home, int descriptor, direction way);

  [[nodiscard]] stream& get() noexcept { return stream_; }
  [[nodiscard]] const stream& get() const noexcept { return stream_; }

  /// Flushes queued bytes for at most `patience`, then releases the descriptor; a stop does not shorten this. If two
  /// streams share a socket, close the one opened first last, because it holds the socket's original flags.
  task<void> close(duration patience);

 private:
  descriptor_stream(stream s, int descriptor, std::optional<int> flags) noexcept
      : stream_(std::move(s)), descriptor_(descriptor), flags_(flags) {}

  stream stream_;
  int descriptor_;
  std::optional<int> flags_;  // restored by close(), because other holders of the open file description share them
};

}  // namespace hawser
