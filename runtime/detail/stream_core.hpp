// SPDX-License-Identifier: MIT
// The system's side of a stream; for the sources of runtime/ only. Lives on the heap until libuv has closed its handle.
// A uv_poll_t says when, and the bytes are read and written here.
#pragma once

#include <memory>
#include <vector>

#include "../byte_buffer.hpp"
#include "../stream.hpp"
#include "loop_core.hpp"
#include "unique_fd.hpp"

namespace hawser::detail {

/// Whether the other direction lives on when this one ends.
enum class stream_shape : std::uint8_t { one_way, two_way };

struct stream_core {
  /// Null where the descriptor cannot be polled; it is closed then, and `why` says so.
  static stream_core* open(loop& home, unique_fd fd, stream_shape shape, stream_limits limits, error& why);

  // What every exchange touches comes first and close together: after a switch of processes each cache line counts.
  loop& home;
  unique_fd fd;
  int polled = 0;  // the events that libuv is asked for
  bool closing = false;
  bool closed = false;
  bool abandoned = false;  // no stream object owns this any more
  bool socket = false;

  // Writing
  bool blocked = false;                          // the system takes no more until libuv says so
  std::uint64_t last_write = ~std::uint64_t{0};  // the turn of the loop in which something was last written at once
  std::size_t bytes_corked = 0;
  std::uint64_t bytes_written = 0;
  std::unique_ptr<error> write_end;
  std::vector<std::string> corked;  // in order; the first `offset` bytes of the first are gone
  std::size_t offset = 0;

  // Reading
  bool begun = false;
  bool reading = false;
  std::unique_ptr<error> read_end;
  byte_buffer in;
  std::size_t shown = 0;     // how many bytes of `in` the consumer has seen
  std::size_t expected = 0;  // how many will lie in `in` before the consumer looks at them
  int low_water = 1;         // the system's mark, from which on it wakes the loop
  byte_listener* listener = nullptr;
  bool untold_bytes = false;  // the listener came later than these
  bool untold_end = false;
  wait_slot reader;

  write_listener* writes = nullptr;
  stream_limits limits;
  stream_shape shape;
  bool widened = false;
  bool has_urgent_data = false;  // so that errors alone cannot be watched for
  uv_poll_t poll{};
  list<stream::drain_operation, stream::drain_operation> drainers;
  list<stream::close_operation, stream::close_operation> closers;
  class flush_item final : public work {
   public:
    explicit flush_item(stream_core& c) : core_(c) {}

   private:
    void run() noexcept override { core_.flush_turn(); }
    void drop() noexcept override { core_.free_if_done(); }
    stream_core& core_;
  } flush_soon{*this};
  void on_event(int status, int events) noexcept;

  void listen(byte_listener& to) noexcept;
  void watch_writes(write_listener& to) noexcept;
  void start_reading() noexcept;
  void stop_reading() noexcept;
  /// Reading that paused at high water goes on when half of it is gone.
  void read_on() noexcept {
    if (begun && in.size() <= limits.high_water / 2) start_reading();
  }
  void expect(std::size_t count);
  /// Somebody has looked: what comes next is told as it comes.
  void expect_no_more() noexcept {
    if (expected == 0) return;
    expected = 0;
    mark_low_water();
  }
  [[nodiscard]] std::size_t outside() const noexcept;
  void drop_unsent() noexcept;
  bool take_back(std::uint64_t from, std::size_t count) noexcept;
  void end_reading(error why) noexcept;

  void add(std::string&& piece);
  void add(std::string_view bytes);
  void flush() noexcept;
  /// After what is queued: no more will be written. Sockets only.
  result<void> end_output() noexcept;

  void close() noexcept;
  void free_if_done() noexcept;

 private:
  stream_core(loop& l, unique_fd f, stream_shape s, stream_limits m) : home(l), fd(std::move(f)), limits(m), shape(s) {}
  ~stream_core() = default;  // free_if_done() is the only way

  void update_poll() noexcept;
  [[nodiscard]] bool is_broken() const noexcept;
  void read_what_is_there() noexcept;
  void widen() noexcept;
  void mark_low_water() noexcept;
  void received(std::size_t count) noexcept;
  [[nodiscard]] bool may_leave_alone() noexcept;
  void schedule_flush() noexcept;
  void flush_turn() noexcept;
  void tell_what_was_before() noexcept;
  [[nodiscard]] ssize_t write_piece(std::string_view bytes) const noexcept;
  ssize_t write_now() noexcept;
  void written(std::size_t count) noexcept;
  void end_writing(error why) noexcept;
  void on_closed() noexcept;
};

}  // namespace hawser::detail
