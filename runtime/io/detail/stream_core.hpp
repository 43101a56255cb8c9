// SPDX-License-Identifier: MIT
// The implementation of a stream; for the sources of runtime/ only. It lives on the heap until libuv has closed its
// handle. A uv_poll_t reports readiness; the read and write calls are made here.
#pragma once

#include <memory>
#include <vector>

#include "../../loop/detail/loop_core.hpp"
#include "../byte_buffer.hpp"
#include "../stream.hpp"
#include "unique_fd.hpp"

namespace hawser::detail {

/// Whether the other direction stays open when one direction ends.
enum class stream_shape : std::uint8_t { one_way, two_way };

struct stream_core {
  /// Null if the descriptor cannot be polled; it is then closed, and `why` holds the error.
  static stream_core* open(loop& event_loop, unique_fd fd, stream_shape shape, stream_limits limits, error& why);

  // The members that every exchange touches come first and close together: after a context switch between processes
  // each cache line counts.
  loop& event_loop;
  unique_fd fd;
  int polled = 0;  // the events that libuv is polling for
  bool closing = false;
  bool closed = false;
  bool abandoned = false;  // no stream object owns this any more
  bool socket = false;

  // Writing
  bool blocked = false;  // the last write returned EAGAIN; cleared when the descriptor is writable
  std::uint64_t last_write = ~std::uint64_t{0};  // the loop iteration of the last immediate write
  std::size_t bytes_corked = 0;
  std::uint64_t bytes_written = 0;
  std::unique_ptr<error> write_end;
  std::vector<std::string> corked;  // in order; the first `offset` bytes of the first piece have been sent
  std::size_t offset = 0;

  // Reading
  bool begun = false;
  bool reading = false;
  std::unique_ptr<error> read_end;
  byte_buffer in;
  std::size_t shown = 0;     // bytes of `in` that read_some() has already returned
  std::size_t expected = 0;  // bytes of `in` that must be there before the consumer is called
  int low_water = 1;         // the current SO_RCVLOWAT
  byte_listener* listener = nullptr;
  bool unreported_bytes = false;  // bytes that arrived before listen() and have not been reported
  bool unreported_end = false;
  wait_slot reader;

  write_listener* writes = nullptr;
  stream_limits limits;
  stream_shape shape;
  bool pipe_enlarged = false;
  bool has_urgent_data = false;  // then UV_PRIORITIZED cannot be used to poll for errors alone
  uv_poll_t poll{};
  list<stream::drain_operation, stream::drain_operation> drainers;
  list<stream::close_operation, stream::close_operation> closers;
  class flush_item final : public work {
   public:
    explicit flush_item(stream_core& c) : core_(c) {}

   private:
    void run() noexcept override { core_.run_flush(); }
    void drop() noexcept override { core_.free_if_done(); }
    stream_core& core_;
  } flush_soon{*this};
  void on_event(int status, int events) noexcept;

  void listen(byte_listener& to) noexcept;
  void set_write_listener(write_listener& to) noexcept;
  void start_reading() noexcept;
  void stop_reading() noexcept;
  /// Resumes reading, which pauses at the high-water mark, when half of it has been consumed.
  void resume_reading() noexcept {
    if (begun && in.size() <= limits.high_water / 2) start_reading();
  }
  void expect(std::size_t count);
  /// The consumer has looked at the bytes; further bytes are reported as they arrive.
  void clear_expected() noexcept {
    if (expected == 0) return;
    expected = 0;
    update_low_water();
  }
  [[nodiscard]] std::size_t bytes_in_kernel() const noexcept;
  void drop_unsent() noexcept;
  bool take_back(std::uint64_t from, std::size_t count) noexcept;
  void end_reading(error why) noexcept;

  void add(std::string&& piece);
  void add(std::string_view bytes);
  void flush() noexcept;
  /// Shuts down the write direction after the queued bytes. Sockets only.
  result<void> end_output() noexcept;

  void close() noexcept;
  void free_if_done() noexcept;

 private:
  stream_core(loop& l, unique_fd f, stream_shape s, stream_limits m)
      : event_loop(l), fd(std::move(f)), limits(m), shape(s) {}
  ~stream_core() = default;  // only free_if_done() deletes

  void update_poll() noexcept;
  [[nodiscard]] bool is_broken() const noexcept;
  void read_available() noexcept;
  void enlarge_pipe() noexcept;
  void update_low_water() noexcept;
  void received(std::size_t count) noexcept;
  [[nodiscard]] bool claim_immediate_write() noexcept;
  void schedule_flush() noexcept;
  void run_flush() noexcept;
  void report_earlier_events() noexcept;
  [[nodiscard]] ssize_t write_piece(std::string_view bytes) const noexcept;
  ssize_t write_now() noexcept;
  void written(std::size_t count) noexcept;
  void end_writing(error why) noexcept;
  void on_closed() noexcept;
};

}  // namespace hawser::detail
