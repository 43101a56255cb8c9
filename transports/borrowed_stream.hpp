// SPDX-License-Identifier: MIT
// A stream over a descriptor that belongs to somebody else, stdin for one: it may be a pipe, a socket, a terminal, a
// file or /dev/null, and is given back as it was.
#pragma once

#include <optional>

#include "../runtime/scope.hpp"
#include "../runtime/stream.hpp"

namespace hawser {

class borrowed_stream {
 public:
  enum class direction : std::uint8_t { in, out };

  /// `copying` gets a task where the descriptor cannot be polled. For reading, it is stopped and joined after close();
  /// for writing, only joined, or what was sent last would be lost.
  static result<borrowed_stream> open(scope& copying, loop& home, int descriptor, direction way);

  [[nodiscard]] stream& get() noexcept { return stream_; }
  [[nodiscard]] const stream& get() const noexcept { return stream_; }

  /// Sends what is queued, for at most so long, and lets go of the descriptor; not shortened by a stop. Of two that
  /// share a socket the one opened first is closed last: it knows how the socket was before.
  task<void> close(duration patience);

 private:
  borrowed_stream(stream s, int descriptor, std::optional<int> flags) noexcept
      : stream_(std::move(s)), descriptor_(descriptor), flags_(flags) {}

  stream stream_;
  int descriptor_;
  std::optional<int> flags_;  // to be restored: they are shared with whoever else has it open
};

}  // namespace hawser
