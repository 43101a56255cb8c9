// SPDX-License-Identifier: MIT
// The libuv side of a stream; for the sources of runtime/ only. Lives on the heap until libuv lets go of its handle.
#pragma once

#include <optional>
#include <vector>

#include "../byte_buffer.hpp"
#include "../stream.hpp"
#include "loop_core.hpp"

namespace hawser::detail {

/// Whether the other direction lives on when this one ends.
enum class stream_shape : std::uint8_t { one_way, two_way };

struct stream_core {
  stream_core(loop& l, stream_limits s) : home(l), limits(s) {}

  loop& home;
  stream_limits limits;
  stream_shape shape = stream_shape::two_way;
  union handle_union {
    uv_handle_t any;
    uv_stream_t stream;
    uv_pipe_t pipe;
    uv_tcp_t tcp;
  } uv{};

  // Reading
  byte_buffer in;
  std::size_t shown = 0;  // how many bytes of `in` the consumer has seen
  bool begun = false;
  bool reading = false;
  wait_slot reader;
  std::optional<error> read_end;

  // Writing: `corked` collects, `in_flight` is what libuv holds while a write waits for the other side
  std::vector<std::string> corked;
  std::vector<std::string> in_flight;
  std::size_t bytes_corked = 0;
  std::size_t bytes_in_flight = 0;
  uv_write_t write_request{};
  std::optional<error> write_end;
  list<stream::drain_operation, stream::drain_operation> drainers;
  class flush_item final : public work {
   public:
    explicit flush_item(stream_core& c) : core_(c) {}

   private:
    void run() noexcept override { core_.flush_turn(); }
    void drop() noexcept override { core_.free_if_done(); }
    stream_core& core_;
  } flush_soon{*this};

  // Closing
  bool closing = false;
  bool closed = false;
  bool abandoned = false;  // no stream object owns this any more
  list<stream::close_operation, stream::close_operation> closers;

  void start_reading() noexcept;
  void stop_reading() noexcept;
  void received(ssize_t count) noexcept;
  void end_reading(error why) noexcept;

  void add(std::string&& piece);
  void add(std::string_view bytes);
  void schedule_flush() noexcept;
  void flush_turn() noexcept;
  void flush() noexcept;
  void written(std::size_t count) noexcept;
  void write_rest() noexcept;
  void end_writing(int status) noexcept;
  void wake_drainers() noexcept;

  void close() noexcept;
  void on_closed() noexcept;
  void free_if_done() noexcept;

 private:
  ~stream_core() = default;  // free_if_done() is the only way
};

}  // namespace hawser::detail
