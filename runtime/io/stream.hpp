// SPDX-License-Identifier: MIT
// A byte stream over a pipe or a socket. Once started, reading continues into one growing buffer up to a high-water
// mark. A write is sent immediately if no other work is ready; several writes within one loop iteration are sent with
// one writev at its end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "../async/wait_slot.hpp"
#include "byte_buffer.hpp"

namespace hawser {

namespace detail {
struct stream_core;
struct stream_deleter {
  void operator()(stream_core* core) const noexcept;
};
}  // namespace detail

struct stream_limits {
  /// Reading pauses at this many unread bytes if no coroutine waits for more.
  std::size_t high_water = std::size_t{1} << 20;
  /// A stream whose consumer waits for more without consuming fails with errc::too_large at this many unread bytes.
  std::size_t max_unread = std::size_t{256} << 20;
};

/// Called as bytes arrive, directly from the poll callback: for protocols that process whole messages at once and do
/// not need a coroutine in between. It may close the stream, but not destroy it.
class byte_listener {
 public:
  /// unread() has grown. Bytes that are not consumed are included again in the next call.
  virtual void on_bytes() noexcept = 0;
  /// The peer has ended the stream, or reading has failed. Not called when this side closes the stream.
  virtual void on_end(const error& why) noexcept = 0;

 protected:
  ~byte_listener() = default;
};

/// Called once when nothing more can be written because the peer has closed, even if no write is pending. The call may
/// come from inside write(). Not called when this side closes the stream.
class write_listener {
 public:
  virtual void on_write_failed(const error& why) noexcept = 0;

 protected:
  ~write_listener() = default;
};

class stream {
 public:
  /// Takes ownership of the descriptor of a pipe or a local socket, even if it fails.
  static result<stream> adopt(loop& event_loop, int descriptor, stream_limits limits = {});
  explicit stream(detail::stream_core* core) noexcept : core_(core) {}

  class read_operation final : public slot_operation {
   public:
    explicit read_operation(detail::stream_core& core) noexcept;
    [[nodiscard]] bool await_ready() const noexcept;
    result<std::string_view> await_resume();

   private:
    void start() override;
    detail::stream_core& core_;
  };

  class drain_operation final : public operation, private detail::list_node<drain_operation> {
   public:
    explicit drain_operation(detail::stream_core& core) : core_(core) {}
    [[nodiscard]] bool await_ready() noexcept;
    result<void> await_resume();

   private:
    friend class stream;
    friend struct detail::stream_core;
    friend class detail::list<drain_operation, drain_operation>;
    void start() override;
    void cancel() noexcept override;
    void drained() noexcept {
      taken_ = true;
      complete();
    }
    void failed() noexcept { complete(); }
    void dropped() noexcept {
      dropped_ = true;
      complete();
    }
    detail::stream_core& core_;
    bool taken_ = false;
    bool dropped_ = false;
  };

  class close_operation final : private work, private detail::list_node<close_operation> {
   public:
    explicit close_operation(detail::stream_core& core) : core_(core) {}
    [[nodiscard]] bool await_ready() const noexcept;
    void await_suspend(std::coroutine_handle<> waiting) noexcept;
    void await_resume() const noexcept {}

   private:
    friend struct detail::stream_core;
    friend class detail::list<close_operation, close_operation>;
    detail::stream_core& core_;
  };

  /// Waits until bytes have arrived that no read_some() has returned yet, and returns all unread bytes. The view is
  /// valid until the next consume() or await. The end of the stream is errc::closed. One reader at a time. Unbounded.
  [[nodiscard]] read_operation read_some() { return read_operation{*core_}; }
  [[nodiscard]] std::string_view unread() const noexcept;
  void consume(std::size_t count) noexcept;
  /// Like consume(), but returns the memory of the first `count` unread bytes, for messages that are too large to copy.
  [[nodiscard]] byte_buffer take(std::size_t count);
  /// The consumer needs `count` unread bytes before it can continue. Reserves the memory at once and, on a socket, sets
  /// SO_RCVLOWAT so that the kernel collects megabytes before it wakes the loop.
  void expect(std::size_t count);
  /// Bytes in the kernel's receive buffer, not yet in unread(). Shows progress while the kernel collects.
  [[nodiscard]] std::size_t bytes_in_kernel() const noexcept;
  /// Frees the buffers of both directions, if they are empty.
  void trim() noexcept;

  /// Instead of read_some(), or after it: starts reading and calls `to`, which must outlive the stream or its closing.
  /// Bytes that are already unread, or an end that was already seen, are reported in a separate work item. high_water
  /// does not apply.
  void listen(byte_listener& to);
  void set_write_listener(write_listener& to) noexcept;

  /// Queues the bytes and never waits. An error is reported by drained(). Check queued() for back pressure. Only inside
  /// loop::run, which blocks SIGPIPE.
  void write(std::string_view bytes);
  void write(const char* text) { write(std::string_view{text}); }
  /// The same without a copy, for large pieces.
  void write(std::string&& bytes);
  /// Bytes that the system has not accepted yet.
  [[nodiscard]] std::size_t queued() const noexcept;
  /// Discards the queued bytes; close() does not send them either. A pending drained() ends with errc::closed. Use it
  /// only before closing: the peer may have received half a message.
  void drop_unsent() noexcept;
  /// Removes bytes from the queue if none of them has been sent; otherwise returns false and changes nothing. `from`:
  /// how many bytes were written to the stream before them, without those that were removed by take_back().
  bool take_back(std::uint64_t from, std::size_t count) noexcept;
  /// Bytes that the system has accepted so far.
  [[nodiscard]] std::uint64_t written() const noexcept;
  /// Waits until the system has accepted everything: back pressure. Unbounded.
  [[nodiscard]] drain_operation drained() { return drain_operation{*core_}; }

  /// Sends the queued bytes and then ends the write direction. A one-way pipe is closed.
  task<result<void>> shutdown();
  /// Closes at once and discards what the system does not accept immediately. Completes when the descriptor is closed,
  /// even after a stop. A waiting reader or writer ends with errc::closed. Idempotent. The destructor also closes,
  /// without waiting.
  [[nodiscard]] close_operation close() noexcept { return close_operation{*core_}; }

 private:
  std::unique_ptr<detail::stream_core, detail::stream_deleter> core_;
};

}  // namespace hawser
