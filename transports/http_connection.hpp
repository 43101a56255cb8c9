// SPDX-License-Identifier: MIT
// One connection to an HTTP server: one request at a time, and its answer as it arrives. Which connection a request
// takes, and whether it is tried again, is http_client's business.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "../runtime/event.hpp"
#include "../runtime/timer.hpp"
#include "byte_stream.hpp"
#include "http_parser.hpp"
#include "http_url.hpp"

namespace hawser {

/// How long the other side may keep us waiting. Zero: for ever; somebody else has a deadline.
struct http_patience {
  duration connect = std::chrono::seconds{10};  ///< until there is a TCP connection, name and proxy included
  duration handshake = std::chrono::seconds{10};
  duration first_byte{};                     ///< from the request, or a 1xx answer, to the first byte of the next head
  duration head = std::chrono::seconds{10};  ///< from there to the end of that head
  duration silence = std::chrono::minutes{5};  ///< between two pieces of the body
  duration idle = std::chrono::seconds{60};    ///< until a connection that nobody uses is closed
  /// For the end of an answer of which nobody reads the rest. Who ends it behind what counts does so at once.
  duration rest = std::chrono::milliseconds{250};
};

/// Whoever keeps connections that nobody uses. It may not destroy one before the call returns.
class idle_keeper {
 public:
  /// One that was idle is of no use any more, or the answer of one that settles has ended, in whatever way.
  virtual void idle_ended() noexcept = 0;

 protected:
  ~idle_keeper() = default;
};

/// Follows an exchange where no coroutine waits for it. It may not destroy the connection before the call returns.
class exchange_watcher {
 public:
  /// There is a head, more of the body, its end, or a failure. Perhaps from inside abort(), never from inside send().
  virtual void on_answer_grew() noexcept = 0;

 protected:
  ~exchange_watcher() = default;
};

class http_connection final : private byte_listener, private http_listener, private timer {
 public:
  http_connection(loop& home, http_url to, std::unique_ptr<byte_stream> over, const http_limits& limits,
                  const http_patience& patience, idle_keeper& keeper);
  http_connection(const http_connection&) = delete;
  http_connection& operator=(const http_connection&) = delete;
  ~http_connection() = default;

  [[nodiscard]] bool leads_to(const http_url& to) const noexcept { return same_origin(to_, to); }
  /// Begins an exchange. Precondition: usable(). `patient`: the answer may pause as long as it likes, since somebody
  /// else gives it up in time.
  void send(std::string_view request, bool patient = false);
  /// No exchange is under way, nobody has closed it, and nothing came that was not asked for.
  [[nodiscard]] bool usable() const noexcept { return !failure_ && phase_ == phase::idle; }
  /// Whether it has served an exchange before: the other side may have closed it just now.
  [[nodiscard]] bool used_before() const noexcept { return exchanges_ > 1; }

  /// Waits for the head of the answer; then head() may be looked at.
  task<result<void>> answered();
  [[nodiscard]] const http_head& head() const noexcept { return parser_.head(); }
  /// Instead of waiting: tells `who` of this exchange, until it ends or somebody else is named. Null: nobody.
  void watch(exchange_watcher* who) noexcept { watcher_ = who; }
  [[nodiscard]] bool has_head() const noexcept { return headed_; }
  [[nodiscard]] bool failed() const noexcept { return failure_.has_value(); }
  /// Waits until there is more of the body than the last call showed, or it is complete. Nothing of it is lost when
  /// the connection fails: that shows when all has been taken.
  task<result<void>> more();
  [[nodiscard]] byte_buffer& body() noexcept { return body_; }
  /// The front of the body is done with.
  void consume(std::size_t count) noexcept;
  [[nodiscard]] bool complete() const noexcept { return phase_ == phase::complete; }
  [[nodiscard]] bool answer_began() const noexcept { return began_; }
  /// The bytes of this request that the system has taken.
  [[nodiscard]] bool request_left() const noexcept { return stream_->written() > written_before_; }
  /// What has not left will not leave any more, not by closing either.
  void drop_request() noexcept { stream_->drop_unsent(); }
  /// Whether the next exchange may use it, when this one is complete: begins to be idle.
  bool recycle() noexcept;
  /// Nobody reads the rest of the answer: it is dropped as it comes, a limited number of bytes for a limited time, and
  /// the keeper is told of its end; then recycle() says whether the connection is of use. False: it is not worth it.
  bool settle() noexcept;
  /// It is not recycled after this answer.
  void distrust() noexcept { trusted_ = false; }
  /// Whoever waits for the answer hears this; the connection is of no use any more.
  void abort(error why) noexcept;
  /// The error of an answer that is larger than that.
  [[nodiscard]] error too_large(std::size_t limit) const;
  void rest() noexcept;
  /// Whether it leads to this machine and through no proxy, as far as whoever connected knows; false until told.
  void set_on_loopback(bool is_so) noexcept { on_loopback_ = is_so; }
  [[nodiscard]] bool on_loopback() const noexcept { return on_loopback_; }
  /// For the `Host` of a request.
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
  void wait_for_more() noexcept { wait_at_most(patient_ ? duration::zero() : patience_.silence); }
  void read_answer() noexcept;
  void fail(error why) noexcept;
  void tell() noexcept;
  void take_large_body() noexcept;
  task<result<void>> change();

  loop& loop_;
  http_url to_;
  std::string authority_;
  std::unique_ptr<byte_stream> stream_;
  http_parser parser_;
  http_patience patience_;
  idle_keeper& keeper_;
  std::size_t max_unread_;
  const char* size_advice_;
  phase phase_ = phase::idle;
  bool began_ = false;
  bool in_head_ = false;  // the time for the end of a head is running
  bool headed_ = false;
  bool trusted_ = true;
  bool on_loopback_ = false;
  bool patient_ = false;     // with the pauses of this answer
  bool settling_ = false;    // nobody reads the rest of this answer
  std::size_t dropped_ = 0;  // bytes of that rest
  std::size_t awaited_ = 0;  // bytes of a large body, which is taken out of the stream in one piece
  std::size_t arrived_ = 0;  // of those, when the timer was last set
  std::size_t shown_ = 0;    // of the body, to whoever waits for more
  byte_buffer body_;
  std::optional<error> failure_;
  event changed_;
  exchange_watcher* watcher_ = nullptr;
  std::uint64_t written_before_ = 0;
  std::size_t exchanges_ = 0;
};

}  // namespace hawser
