// SPDX-License-Identifier: MIT
// One request that came to a server, and its answer: at once, or piece by piece.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "byte_stream.hpp"
#include "http_parser.hpp"

namespace hawser {

/// How slowly the other side may take what it is sent: in each window in which something waits to be taken, as many
/// bytes, at least one.
struct drain_pace {
  duration window{};
  std::size_t bytes = 1;
};

class http_call {
 public:
  /// Made by http_server; `over` outlives it. A client that is slower than `pace` is given up.
  http_call(byte_stream& over, http_head request, std::string body, drain_pace pace) noexcept;
  http_call(const http_call&) = delete;
  http_call& operator=(const http_call&) = delete;

  [[nodiscard]] const http_head& request() const noexcept { return request_; }
  [[nodiscard]] std::string_view body() const noexcept { return body_; }

  /// The whole answer. Fields must be valid (see append_field); what frames the message, `Content-Length` and the like,
  /// is written here and left out of `fields`. Once, and not with begin().
  void reply(int status, const http_fields& fields, std::string body);

  /// The head of an answer whose pieces follow.
  void begin(int status, const http_fields& fields);
  /// Writes a piece and waits until the system has taken it. errc::timed_out: the client reads too slowly.
  task<result<void>> send(std::string piece);
  /// Waits until the system has taken everything that was written so far, with the same error.
  task<result<void>> taken();
  [[nodiscard]] bool all_taken() const noexcept { return over_.queued() == 0; }
  /// Whether the client was given up for reading too slowly.
  [[nodiscard]] bool too_slow() const noexcept { return too_slow_; }
  /// An answer that is not ended is cut off, so that the client knows that something is missing.
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
  bool mute_ = false;  // the answer has no body: HEAD, 204, 304
  bool too_slow_ = false;
};

/// Waits until everything written was taken; errc::timed_out where that is slower than the pace.
task<result<void>> drained_at(byte_stream& over, drain_pace pace);

}  // namespace hawser
