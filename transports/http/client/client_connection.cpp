// SPDX-License-Identifier: MIT
#include "client_connection.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace hawser {

namespace {

// Bodies of at least this size are moved, not copied.
constexpr std::size_t min_moved_body = std::size_t{32} * 1024;

// A longer rest of a response is not received only to be discarded: a new connection costs less.
constexpr std::size_t max_dropped_body = std::size_t{64} * 1024;

// The reader limits the body: an event stream has no end.
http_limits without_body_limit(http_limits limits) {
  limits.max_body = 0;
  return limits;
}

}  // namespace

client_connection::client_connection(loop& event_loop, http_url url, std::unique_ptr<byte_stream> stream,
                                     const http_limits& limits, const http_timeouts& timeouts, connection_owner& owner)
    : loop_(event_loop),
      url_(std::move(url)),
      authority_(url_.authority()),
      stream_(std::move(stream)),
      parser_(http_parser::side::response, without_body_limit(limits)),
      timeouts_(timeouts),
      owner_(owner),
      max_unread_(limits.max_body),
      size_advice_(limits.size_advice) {
  stream_->listen(*this);
}

error client_connection::too_large(std::size_t limit) const {
  return error{.code = errc::too_large,
               .what = "the answer is larger than the limit of " + std::to_string(limit) + " bytes" + size_advice_,
               .executed = execution::unknown};
}

void client_connection::send(std::string_view request, bool unlimited_silence) {
  detail::require(usable(), "a request was sent over a connection that is in use");
  ++exchanges_;
  phase_ = phase::sent;
  began_ = in_head_ = false;
  shown_ = 0;
  awaited_ = 0;
  headed_ = false;
  unlimited_silence_ = unlimited_silence;
  written_before_ = stream_->written();
  wait_at_most(timeouts_.first_byte);
  stream_->write(request);
}

void client_connection::wait_at_most(duration bound) noexcept {
  timer::cancel();
  if (bound != duration::zero()) loop_.start_coarse(*this, bound);
}

void client_connection::on_expired() noexcept {
  if (awaited_ > 0) {  // the kernel may still be collecting it
    const std::size_t arrived = stream_->unread().size() + stream_->bytes_in_kernel();
    if (arrived > std::exchange(arrived_, arrived)) {
      wait_for_more();
      return;
    }
  }
  std::string reason = "no answer in time";
  if (phase_ == phase::body) {
    reason = "the answer stopped in the middle";
  } else if (in_head_) {
    reason = "the head of the answer did not come to its end in time";
  }
  abort(error{.code = errc::timed_out, .what = std::move(reason), .executed = execution::unknown});
}

void client_connection::abort(error why) noexcept {
  fail(std::move(why));
  notify_listener();
}

void client_connection::fail(error why) noexcept {
  timer::cancel();
  if (!failure_) failure_ = std::move(why);
  changed_.set();
  if (phase_ == phase::idle || discarding_) owner_.on_idle_connection_ended();
}

void client_connection::notify_listener() noexcept {
  if (listener_ != nullptr && (headed_ || failure_)) listener_->on_response_progress();
}

void client_connection::on_bytes() noexcept {
  read_answer();
  notify_listener();
}

void client_connection::read_answer() noexcept {
  if (failure_) {
    stream_->consume(stream_->unread().size());
    return;
  }
  if (phase_ == phase::idle || phase_ == phase::complete) {  // Response smuggling: unsolicited data
    fail(error{.code = errc::protocol, .what = "the server sent more than one answer to a request"});
    return;
  }
  if (!began_ && !has_sent_bytes()) {
    drop_request();
    fail(error{.code = errc::protocol, .what = "the server answered before it was asked"});
    return;
  }
  began_ = true;
  if (awaited_ > 0) {
    take_large_body();
    return;
  }
  auto taken = parser_.feed(stream_->unread(), *this);
  if (!taken) {
    error why = taken.error();
    why.executed = execution::unknown;
    fail(std::move(why));
    return;
  }
  stream_->consume(*taken);
  if (awaited_ > 0) {
    stream_->expect(awaited_);  // bounded by the body limit
    take_large_body();
    return;
  }
  if (phase_ == phase::complete) {
    timer::cancel();
    if (!stream_->unread().empty())
      failure_ = error{.code = errc::protocol, .what = "the server sent more than one answer to a request"};
    if (discarding_) owner_.on_idle_connection_ended();
  } else if (discarding_) {  // its timeout keeps running
    if (dropped_ > max_dropped_body)
      fail(error{.code = errc::too_large, .what = "the answer goes on behind what was read of it"});
  } else if (phase_ == phase::body) {
    wait_for_more();
    if (body_.size() > max_unread_) fail(too_large(max_unread_));
  } else if (!parser_.within_head()) {  // only interim responses so far: the server is still working
    wait_at_most(timeouts_.first_byte);
  } else if (!std::exchange(in_head_, true)) {
    wait_at_most(timeouts_.head);
  }
}

// The body accumulates in the stream's buffer and is neither parsed nor copied before it is complete.
void client_connection::take_large_body() noexcept {
  if (failure_) return;
  if (stream_->unread().size() < awaited_) {
    arrived_ = stream_->unread().size();
    wait_for_more();
    return;
  }
  timer::cancel();
  body_ = stream_->take(std::exchange(awaited_, 0));
  on_complete();
  if (!stream_->unread().empty())
    failure_ = error{.code = errc::protocol, .what = "the server sent more than one answer to a request"};
}

void client_connection::on_end(const error& why) noexcept {
  if (failure_) return;
  if (phase_ == phase::sent || phase_ == phase::body) {
    // Only a clean end of the connection can delimit a body that has no length.
    if (awaited_ > 0) {
      abort(error{.code = errc::closed,
                  .what = "the answer is truncated: the connection ended after " +
                          std::to_string(stream_->unread().size()) + " of " + std::to_string(awaited_) + " bytes",
                  .executed = execution::unknown});
      return;
    }
    if (why.code == errc::closed) {
      auto ended = parser_.finish(*this);
      if (!ended) {
        error cut = ended.error();
        cut.executed = execution::unknown;
        if (!parser_.within_head() && phase_ == phase::sent)
          cut.what = "the server closed the connection instead of answering";
        abort(std::move(cut));
        return;
      }
    } else {
      error broken = why;
      broken.executed = execution::unknown;
      abort(std::move(broken));
      return;
    }
  }
  abort(error{.code = errc::closed, .what = "the server closed the connection"});
}

void client_connection::on_head(const http_head& head) noexcept {
  headed_ = true;
  phase_ = phase::body;
  changed_.set();
  const std::uint64_t length = head.length.value_or(0);
  if (length > max_unread_) {
    fail(too_large(max_unread_));
  } else if (length >= min_moved_body && head.status != 204 && head.status != 304) {
    parser_.skip_body();
    awaited_ = static_cast<std::size_t>(length);
  }
}

void client_connection::on_interim() noexcept { in_head_ = false; }

void client_connection::on_body(std::string_view piece) noexcept {
  if (discarding_) {
    dropped_ += piece.size();
    return;
  }
  const auto room = body_.reserve(piece.size());
  std::memcpy(room.at, piece.data(), piece.size());
  body_.commit(piece.size());
  changed_.set();
}

void client_connection::on_complete() noexcept {
  phase_ = phase::complete;
  changed_.set();
}

task<result<void>> client_connection::wait_for_change() {
  changed_.reset();
  co_return co_await changed_.wait();
}

task<result<void>> client_connection::wait_for_head() {
  while (!headed_ && !failure_) {
    auto changed = co_await wait_for_change();
    if (!changed) co_return changed;
  }
  if (!headed_) co_return *failure_;
  co_return {};
}

task<result<void>> client_connection::wait_for_body() {
  while (body_.size() <= shown_ && !complete() && !failure_) {
    auto changed = co_await wait_for_change();
    if (!changed) co_return changed;
  }
  if (body_.size() <= shown_ && !complete()) co_return *failure_;
  shown_ = body_.size();
  co_return {};
}

void client_connection::consume(std::size_t count) noexcept {
  body_.consume(count);
  shown_ -= std::min(shown_, count);  // otherwise later data would count as reported as long as it is shorter
}

bool client_connection::discard_rest() noexcept {
  listener_ = nullptr;
  const bool under_way = phase_ == phase::body && awaited_ == 0;
  if (failure_ || !under_way || !reusable_ || !head().keep_alive) return false;
  discarding_ = true;
  dropped_ = 0;
  body_.consume(body_.size());
  shown_ = 0;
  wait_at_most(timeouts_.discard);
  return true;
}

bool client_connection::recycle() noexcept {
  listener_ = nullptr;
  discarding_ = false;
  if (failure_ || phase_ != phase::complete || !reusable_ || !head().keep_alive) return false;
  parser_.next();
  phase_ = phase::idle;
  headed_ = false;
  body_.consume(body_.size());  // keeps its memory unless it is large
  wait_at_most(timeouts_.idle);
  return true;
}

void client_connection::trim() noexcept {
  if (body_.empty()) body_ = byte_buffer{};
  if (phase_ == phase::idle) parser_.trim();
  stream_->trim();
}

task<void> client_connection::close() {
  timer::cancel();
  co_await stream_->close();
}

}  // namespace hawser
