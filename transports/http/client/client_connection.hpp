// SPDX-License-Identifier: MIT
// One client connection to an HTTP server: one request at a time, and its response as it arrives. http_client decides
// which connection a request uses and whether it is retried.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "../../../runtime/async/event.hpp"
#include "../../../runtime/loop/timer.hpp"
#include "../../tls/byte_stream.hpp"
#include "../http_parser.hpp"
#include "../http_url.hpp"

namespace hawser {

/// Timeouts for the server. Zero: none; the caller has a deadline.
struct http_timeouts {
  duration connect = std::chrono::seconds{10};  ///< for the TCP connection, including name resolution and proxy
  duration handshake = std::chrono::seconds{10};
  duration first_byte{};  ///< from the request, or a 1xx response, to the first byte of the next head
  duration head = std::chrono::seconds{10};    ///< from there to the end of that head
  duration silence = std::chrono::minutes{5};  ///< between two pieces of the body
  duration idle = std::chrono::seconds{60};    ///< until an unused connection is closed
  /// For the end of a response whose rest is discarded. A server that ends it right after the relevant part does so at
  /// once.
  duration discard = std::chrono::milliseconds{250};
};

/// The owner of idle connections. It must not destroy a connection before the call returns.
class connection_owner {
 public:
  /// An idle connection has become unusable, or the response of a discarding connection has ended in some way.
  virtual void on_idle_connection_ended() noexcept = 0;

 protected:
  ~connection_owner() = default;
};

/// Receives the events of an exchange that no coroutine awaits. It must not destroy the connection before the call
/// returns.
class response_listener {
 public:
  /// There is a head, more of the body, its end, or a failure. May be called from inside abort(), never from inside
  /// send().
  virtual void on_response_progress() noexcept = 0;

 protected:
  ~response_listener() = default;
};

class client_connection final : private byte_listener, private http_listener, private timer {
 public:
  client_connection(loop& event_loop, http_url url, std::unique_ptr<byte_stream> stream, const http_limits& limits,
                    const http_timeouts& timeouts, connection_owner& owner);
  client_connection(const client_connection&) = delete;
  client_connection& operator=(const client_connection&) = delete;
  ~client_connection() = default;

  [[nodiscard]] bool connects_to(const http_url& url) const noexcept { return same_origin(url_, url); }
  /// Starts an exchange. Precondition: usable(). `unlimited_silence`: pauses in the response are not limited here,
  /// because the caller limits them.
  void send(std::string_view request, bool unlimited_silence = false);
  /// No exchange is in progress, the connection is open, and no unsolicited data has arrived.
  [[nodiscard]] bool usable() const noexcept { return !failure_ && phase_ == phase::idle; }
  /// Whether it has served an earlier exchange, so that the server may have closed it in the meantime.
  [[nodiscard]] bool used_before() const noexcept { return exchanges_ > 1; }

  /// Waits for the head of the response; head() is valid afterwards.
  task<result<void>> wait_for_head();
  [[nodiscard]] const http_head& head() const noexcept { return parser_.head(); }
  /// Alternative to waiting: notifies `listener` about this exchange until it ends or another one is set. Null: none.
  void watch(response_listener* listener) noexcept { listener_ = listener; }
  [[nodiscard]] bool has_head() const noexcept { return headed_; }
  [[nodiscard]] bool failed() const noexcept { return failure_.has_value(); }
  /// Waits until the body is longer than at the last call, or complete. If the connection fails, data that has arrived
  /// is not lost: the error is returned after all of it has been consumed.
  task<result<void>> wait_for_body();
  [[nodiscard]] byte_buffer& body() noexcept { return body_; }
  /// Drops the first `count` bytes of the body.
  void consume(std::size_t count) noexcept;
  [[nodiscard]] bool complete() const noexcept { return phase_ == phase::complete; }
  [[nodiscard]] bool response_began() const noexcept { return began_; }
  /// Whether the kernel has accepted any byte of this request.
  [[nodiscard]] bool has_sent_bytes() const noexcept { return stream_->written() > written_before_; }
  /// Discards the unsent bytes, so that not even closing sends them.
  void drop_request() noexcept { stream_->drop_unsent(); }
  /// Whether the next exchange may use it, after this one is complete. If so, it becomes idle.
  bool recycle() noexcept;
  /// Discards the rest of the response as it arrives, up to a limit of bytes and time, and notifies the owner of its
  /// end; recycle() then says whether the connection can be reused. False: not worth it.
  bool discard_rest() noexcept;
  /// Prevents recycling after this response.
  void forbid_reuse() noexcept { reusable_ = false; }
  /// Ends the exchange with this error; the connection is unusable afterwards.
  void abort(error why) noexcept;
  /// The error for a response larger than the limit.
  [[nodiscard]] error too_large(std::size_t limit) const;
  void trim() noexcept;
  /// Whether this is a direct connection to this machine, as determined by the code that connected it; false until set.
  void set_on_loopback(bool on_loopback) noexcept { on_loopback_ = on_loopback; }
  [[nodiscard]] bool on_loopback() const noexcept { return on_loopback_; }
  /// For the `Host` field.
  [[nodiscard]] const std::string& authority() const noexcept { return authority_; }
  task<void> close();

 private:
  enum class phase : std::uint8_t { idle, sent, body, complete };

  void on_bytes() noexcept override;
  void on_end(const error& why) noexcept override;
  void on_head(const http_head& head) noexcept override;
  void on_interim() noexcept override;
  void on_body(std::string_view piece) noexcept override;
  void on_complete() noexcept override;
  void on_expired() noexcept override;
  void wait_at_most(duration bound) noexcept;
  void wait_for_more() noexcept { wait_at_most(unlimited_silence_ ? duration::zero() : timeouts_.silence); }
  void read_answer() noexcept;
  void fail(error why) noexcept;
  void notify_listener() noexcept;
  void take_large_body() noexcept;
  task<result<void>> wait_for_change();

  loop& loop_;
  http_url url_;
  std::string authority_;
  std::unique_ptr<byte_stream> stream_;
  http_parser parser_;
  http_timeouts timeouts_;
  connection_owner& owner_;
  std::size_t max_unread_;
  const char* size_advice_;
  phase phase_ = phase::idle;
  bool began_ = false;
  bool in_head_ = false;  // the timeout for the end of a head is running
  bool headed_ = false;
  bool reusable_ = true;
  bool on_loopback_ = false;
  bool unlimited_silence_ = false;  // pauses in this response are not limited
  bool discarding_ = false;         // the rest of this response is discarded
  std::size_t dropped_ = 0;         // bytes discarded so far
  std::size_t awaited_ = 0;         // size of a large body, which is taken out of the stream in one piece
  std::size_t arrived_ = 0;         // bytes of it that had arrived when the timer was last set
  std::size_t shown_ = 0;           // bytes of the body that wait_for_body() has reported
  byte_buffer body_;
  std::optional<error> failure_;
  event changed_;
  response_listener* listener_ = nullptr;
  std::uint64_t written_before_ = 0;
  std::size_t exchanges_ = 0;
};

}  // namespace hawser
