// SPDX-License-Identifier: MIT
// A byte stream over a pipe or a socket. Reading, once begun, stays on and collects into one growing buffer until a
// high-water mark. A write leaves at once when nobody else is ready to run; what several write in one turn of the loop
// leaves in one gathered system call at its end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "byte_buffer.hpp"
#include "wait_slot.hpp"

namespace hawser {

namespace detail {
struct stream_core;
struct stream_deleter {
  void operator()(stream_core* core) const noexcept;
};
}  // namespace detail

struct stream_limits {
  /// Reading pauses while nobody waits for bytes and this many are unread …
  std::size_t high_water = std::size_t{1} << 20;
  /// … and a consumer that takes nothing and wants ever more ends with errc::too_large here.
  std::size_t max_unread = std::size_t{256} << 20;
};

/// Hears of bytes as they arrive, on the loop's own stack: for protocols that handle whole messages at once and would
/// only pay for a coroutine in between. It may close the stream, not destroy it.
class byte_listener {
 public:
  /// unread() has grown; whatever is not consumed will be shown again together with what follows.
  virtual void on_bytes() noexcept = 0;
  /// The other side has ended the stream, or it is broken; not called when this side closes it.
  virtual void on_end(const error& why) noexcept = 0;

 protected:
  ~byte_listener() = default;
};

/// Hears, once, that nothing more can be written, also when nothing is being written: the other side has closed.
/// Perhaps from inside write(). Not called when this side closes.
class write_listener {
 public:
  virtual void on_write_failed(const error& why) noexcept = 0;

 protected:
  ~write_listener() = default;
};

class stream {
 public:
  /// Takes a descriptor of a pipe or a local socket, and owns it from then on, also when it fails.
  static result<stream> adopt(loop& home, int descriptor, stream_limits limits = {});
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

  /// Waits until bytes have arrived that no read_some() has shown yet, and shows all that are unread. The view is
  /// valid until the next consume() or await. The end of the stream is errc::closed. One reader at a time. Unbounded.
  [[nodiscard]] read_operation read_some() { return read_operation{*core_}; }
  [[nodiscard]] std::string_view unread() const noexcept;
  void consume(std::size_t count) noexcept;
  /// The same, but hands over the memory of the first `count` unread bytes, for messages too large to copy.
  [[nodiscard]] byte_buffer take(std::size_t count);
  /// So many unread bytes are going to lie here before anybody looks at one: makes room for them at once, and over a
  /// socket lets the system collect megabytes before it tells.
  void expect(std::size_t count);
  /// Bytes that the system has and unread() has not: a sign of life while it collects.
  [[nodiscard]] std::size_t outside() const noexcept;
  /// Gives back the memory that is kept for the next bytes of either direction, if none are waiting in it.
  void rest() noexcept;

  /// Instead of read_some(), or after it: begins to read and tells `to`, which must outlive the stream or its closing.
  /// What is unread already, or the end if that was seen, is told in a turn of its own. high_water does not apply.
  void listen(byte_listener& to);
  void watch_writes(write_listener& to) noexcept;

  /// Takes the bytes and never waits; a failure shows in drained(). Keep an eye on queued(). Inside loop::run only,
  /// which keeps SIGPIPE away.
  void write(std::string_view bytes);
  void write(const char* text) { write(std::string_view{text}); }
  /// The same without a copy, for large pieces.
  void write(std::string&& bytes);
  /// Bytes that the system has not taken yet.
  [[nodiscard]] std::size_t queued() const noexcept;
  /// What is queued will not leave, not by closing either; drained() that waits for it ends with errc::closed. Only
  /// before closing: the other side may have half a message.
  void drop_unsent() noexcept;
  /// Takes bytes out of the queue of which none has left; false, and nothing happens, if one has. `from`: how many were
  /// written to the stream before them, without those that were taken back.
  bool take_back(std::uint64_t from, std::size_t count) noexcept;
  /// Bytes that the system has taken so far, of all that were written.
  [[nodiscard]] std::uint64_t written() const noexcept;
  /// Waits until the system has taken everything: back pressure. Unbounded.
  [[nodiscard]] drain_operation drained() { return drain_operation{*core_}; }

  /// Sends what is queued and then the end of the stream. A one-way pipe is closed by it.
  task<result<void>> shutdown();
  /// Closes at once, dropping what the system would not take; completes when the descriptor is free, stop or not. A
  /// reader or a writer that waits ends with errc::closed. Idempotent. The destructor closes, too, without waiting.
  [[nodiscard]] close_operation close() noexcept { return close_operation{*core_}; }

 private:
  std::unique_ptr<detail::stream_core, detail::stream_deleter> core_;
};

}  // namespace hawser
