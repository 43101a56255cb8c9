// SPDX-License-Identifier: MIT
// One request that http_server received, and its response, sent at once or in pieces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "byte_stream.hpp"
#include "http_parser.hpp"

namespace hawser {

/// The minimum rate at which the client must accept data: in each window in which bytes are queued, this many bytes, at
/// least one.
struct drain_pace {
  duration window{};
  std::size_t bytes = 1;
};

class http_call {
 public:
  /// Made by http_server; `over` outlives it. A client that is slower than `pace` is disconnected.
  http_call(byte_stream& over, http_head request, std::string body, drain_pace pace) noexcept;
  http_call(const http_call&) = delete;
  http_call& operator=(const http_call&) = delete;

  [[nodiscard]] const http_head& request() const noexcept { return request_; }
  [[nodiscard]] std::string_view body() const noexcept { return body_; }

  /// Sends the whole response. Fields must be valid (see append_field); framing fields such as `Content-Length` are
  /// written here and skipped in `fields`. Call once, and not together with begin().
  void reply(int status, const http_fields& fields, std::string body);

  /// Sends the head of a response whose body follows in pieces.
  void begin(int status, const http_fields& fields);
  /// Writes a piece and waits until the kernel has accepted it. errc::timed_out: the client reads too slowly.
  task<result<void>> send(std::string piece);
  /// Waits until the kernel has accepted everything written so far, with the same error.
  task<result<void>> taken();
  [[nodiscard]] bool all_taken() const noexcept { return over_.queued() == 0; }
  /// Whether the client was found to read too slowly.
  [[nodiscard]] bool too_slow() const noexcept { return too_slow_; }
  /// Ends the response. Without this it is cut off, so that the client can tell that it is incomplete.
  void end();

  enum class stage : std::uint8_t { silent, streaming, ended };
  [[nodiscard]] stage so_far() const noexcept { return stage_; }
  /// Whether another request may follow on the connection.
  [[nodiscard]] bool keeps_connection() const noexcept { return keep_alive_; }

 private:
  void write_head(int status, const http_fields& fields, std::string& head);
  void write_piece(std::string piece);
  [[nodiscard]] bool without_body(int status) const noexcept;

  byte_stream& over_;
  http_head request_;
  std::string body_;
  drain_pace pace_;
  stage stage_ = stage::silent;
  bool keep_alive_;
  bool chunked_ = false;
  bool mute_ = false;  // the response has no body: HEAD, 204, 304
  bool too_slow_ = false;
};

/// Waits until everything written was accepted; errc::timed_out if that is slower than the pace.
task<result<void>> drained_at(byte_stream& over, drain_pace pace);

}  // namespace hawser
