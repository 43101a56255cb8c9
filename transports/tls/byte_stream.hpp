// SPDX-License-Identifier: MIT
// A bidirectional byte stream for HTTP, plain or under TLS. It pushes data to a listener, like stream::listen(), so
// that complete messages are handled where their bytes arrive, without a coroutine in between.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "../../runtime/async/task.hpp"
#include "../../runtime/io/stream.hpp"

namespace hawser {

class byte_stream {
 public:
  byte_stream() = default;
  byte_stream(const byte_stream&) = delete;
  byte_stream& operator=(const byte_stream&) = delete;
  /// Also closes the stream, without waiting.
  virtual ~byte_stream() = default;

  /// Starts reading and notifies `listener`, which must outlive this object or its close(); never from inside this
  /// call. Call once. on_end with errc::closed means that the remote side ended the stream cleanly. Any other code
  /// means that bytes may be missing; under TLS this includes an end without close_notify (errc::io, "truncated"). A
  /// message that is delimited by the end of the stream must then be treated as incomplete.
  virtual void listen(byte_listener& listener) = 0;
  [[nodiscard]] virtual std::string_view unread() const noexcept = 0;
  virtual void consume(std::size_t count) noexcept = 0;
  /// Announces that `count` unread bytes will accumulate before any of them is read. Reserves memory for them at once,
  /// and may let the kernel collect megabytes before it reports them.
  virtual void expect(std::size_t count) = 0;
  /// Bytes in the kernel that have not been read yet: evidence of progress while the kernel collects.
  [[nodiscard]] virtual std::size_t bytes_in_kernel() const noexcept = 0;
  /// Moves the memory of the first `count` unread bytes to the caller.
  [[nodiscard]] virtual byte_buffer take(std::size_t count) = 0;

  /// Queues the bytes and never waits; drained() reports a failure.
  virtual void write(std::string_view bytes) = 0;
  /// The same for large pieces: takes over their memory where that saves a copy, and otherwise frees it before
  /// returning.
  virtual void hand_over(std::string&& bytes) {
    const std::string all = std::move(bytes);
    write(all);
  }
  /// Bytes that the kernel has not accepted yet.
  [[nodiscard]] virtual std::size_t queued() const noexcept = 0;
  /// Discards the queued bytes, so that not even closing sends them. Call only before closing, because the remote side
  /// may have received half a message.
  virtual void drop_unsent() noexcept = 0;
  /// Bytes that the kernel has accepted so far, as encoded on the wire. While this does not grow, nothing has been
  /// sent.
  [[nodiscard]] virtual std::uint64_t written() const noexcept = 0;
  /// Waits until the kernel has accepted everything. Unbounded.
  virtual task<result<void>> drained() = 0;

  /// Sends the queued bytes, then under TLS a close_notify, then the end of the stream. Unbounded.
  virtual task<result<void>> shutdown() = 0;
  /// Closes immediately, even in the middle of a message, and under TLS without a close_notify, so that the remote side
  /// cannot mistake half a response for a complete one. Idempotent; a stop does not shorten it.
  virtual task<void> close() = 0;

  /// Releases memory that is not in use; it is allocated again when needed.
  virtual void trim() noexcept {}
};

}  // namespace hawser
