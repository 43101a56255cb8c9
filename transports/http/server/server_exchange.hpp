// SPDX-License-Identifier: MIT
// One request that http_server received, and its response, sent at once or in pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "../../../runtime/io/byte_budget.hpp"
#include "../../tls/byte_stream.hpp"
#include "../http_parser.hpp"

namespace hawser {

/// The minimum rate at which the client must accept data: in each window in which bytes are queued, this many bytes, at
/// least one.
struct drain_rate {
  duration window{};
  std::size_t bytes = 1;
};

class server_exchange {
 public:
  /// Made by http_server; `over` outlives it. A client that is slower than `pace` is disconnected. `held`: the part of
  /// the server's memory for bodies that `body` takes.
  server_exchange(byte_stream& over, http_head request, std::string body, drain_rate rate,
                  std::optional<byte_budget::share> held = std::nullopt) noexcept;
  server_exchange(const server_exchange&) = delete;
  server_exchange& operator=(const server_exchange&) = delete;

  [[nodiscard]] const http_head& request() const noexcept { return request_; }
  [[nodiscard]] std::string_view body() const noexcept { return body_; }
  /// Frees the body, which is empty afterwards. To be called as soon as it is not needed: a response may take for ever,
  /// and all bodies together are limited.
  void release_body() noexcept;

  /// Sends the whole response. Fields must be valid (see append_field); framing fields such as `Content-Length` are
  /// written here and skipped in `fields`. Call once, and not together with begin().
  void reply(int status, const http_fields& fields, std::string body);

  /// Sends the head of a response whose body follows in pieces.
  void begin(int status, const http_fields& fields);
  /// Writes a piece and waits until the kernel has accepted it. errc::timed_out: the client reads too slowly.
  task<result<void>> send(std::string piece);
  /// Waits until the kernel has accepted everything written so far, with the same error.
  task<result<void>> drained();
  [[nodiscard]] bool is_drained() const noexcept { return over_.queued() == 0; }
  /// Whether the client was found to read too slowly.
  [[nodiscard]] bool too_slow() const noexcept { return too_slow_; }
  /// Ends the response. Without this it is cut off, so that the client can tell that it is incomplete.
  void end();

  enum class response_stage : std::uint8_t { not_started, streaming, ended };
  [[nodiscard]] response_stage stage() const noexcept { return stage_; }
  /// Whether another request may follow on the connection.
  [[nodiscard]] bool keeps_connection() const noexcept { return keep_alive_; }

 private:
  void write_head(int status, const http_fields& fields, std::string& head);
  void write_piece(std::string piece);
  [[nodiscard]] bool without_body(int status) const noexcept;

  byte_stream& over_;
  http_head request_;
  std::string body_;
  drain_rate rate_;
  std::optional<byte_budget::share> held_;
  response_stage stage_ = response_stage::not_started;
  bool keep_alive_;
  bool chunked_ = false;
  bool bodiless_ = false;  // the response has no body: HEAD, 204, 304
  bool too_slow_ = false;
};

/// Waits until everything written was accepted; errc::timed_out if that is slower than the pace.
task<result<void>> drained_at_rate(byte_stream& over, drain_rate rate);

}  // namespace hawser
