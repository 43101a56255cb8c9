// SPDX-License-Identifier: MIT
// A duplex byte stream as HTTP sees it, in the clear or under TLS. It pushes, like stream::listen(): whole messages are
// handled where their bytes arrive, without a coroutine in between.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "../runtime/stream.hpp"
#include "../runtime/task.hpp"

namespace hawser {

class byte_stream {
 public:
  byte_stream() = default;
  byte_stream(const byte_stream&) = delete;
  byte_stream& operator=(const byte_stream&) = delete;
  /// Closes, too, without waiting.
  virtual ~byte_stream() = default;

  /// Begins to read and tells `to`, which must outlive this object or its closing; never from inside this call. Once.
  /// on_end with errc::closed means that the other side has ended the stream in good order. Any other code means that
  /// bytes may be missing: under TLS also an end that nobody vouches for (errc::io, "truncated"). A message that is
  /// delimited by the end of the stream must not be believed then.
  virtual void listen(byte_listener& to) = 0;
  [[nodiscard]] virtual std::string_view unread() const noexcept = 0;
  virtual void consume(std::size_t count) noexcept = 0;
  /// So many unread bytes are going to lie here before anybody looks at one: makes room for them at once, and may let
  /// the system collect megabytes before it tells.
  virtual void expect(std::size_t count) = 0;
  /// Bytes that the system has and this has not read: a sign of life while it collects.
  [[nodiscard]] virtual std::size_t outside() const noexcept = 0;
  /// Hands over the memory of the first `count` unread bytes.
  [[nodiscard]] virtual byte_buffer take(std::size_t count) = 0;

  /// Takes the bytes and never waits; a failure shows in drained().
  virtual void write(std::string_view bytes) = 0;
  /// The same for large pieces: their memory is taken where that spares a copy, and given back here where not.
  virtual void hand_over(std::string&& bytes) {
    const std::string all = std::move(bytes);
    write(all);
  }
  /// Bytes that have not left yet.
  [[nodiscard]] virtual std::size_t queued() const noexcept = 0;
  /// They never will, not by closing either. Only before closing: the other side may have half a message.
  virtual void drop_unsent() noexcept = 0;
  /// Bytes that the system has taken so far, as they go over the wire: while it does not grow, nothing has left.
  [[nodiscard]] virtual std::uint64_t written() const noexcept = 0;
  /// Waits until the system has taken everything. Unbounded.
  virtual task<result<void>> drained() = 0;

  /// Sends what is queued and then the end of the stream, under TLS a close_notify before it. Unbounded.
  virtual task<result<void>> shutdown() = 0;
  /// Closes at once, in the middle of whatever it is, and for TLS without a close_notify: the other side must not take
  /// half an answer for a whole one. Idempotent; a stop does not shorten it.
  virtual task<void> close() = 0;

  /// Gives memory back while nothing is under way; what comes next gets it anew.
  virtual void rest() noexcept {}
};

/// In the clear.
std::unique_ptr<byte_stream> plain_stream(stream over);

}  // namespace hawser
