// SPDX-License-Identifier: MIT
#include "server_connection.hpp"

#include <algorithm>
#include <chrono>

#include "../../../runtime/async/detail/wait_for.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/async/timeout.hpp"
#include "../../../runtime/guarded.hpp"

namespace hawser {

namespace {

// Limit for pipelined requests. No client pipelines today, so there is room for a few small ones only.
constexpr std::size_t max_ahead = std::size_t{64} << 10;
// This much of a body is never refused for lack of memory, so that large bodies of some clients do not shut out small
// ones.
constexpr std::size_t free_body = std::size_t{64} << 10;
// How long a refused client may keep sending, so that it can read the response: closing at once would reset the
// connection.
constexpr duration linger = std::chrono::seconds{1};

task<result<void>> shut_down(byte_stream& over) { co_return co_await over.shutdown(); }

// An exception is the fault of the handler, not of the client, and must not end the process.
task<void> run_handler(const request_handler& with, server_exchange& call, bool& threw) {
  const context here = co_await this_context();
  auto answering =
      guarded_task("the function that answers HTTP requests", [&] { return with(call); }, &here.loop->log());
  auto answered = co_await std::move(answering);
  threw = answered.has_error();
}

error refusal(errc code, std::string what) { return error{.code = code, .what = std::move(what)}; }

complete_response plain_answer(int status, std::string_view why) {
  complete_response answer{.status = status, .body = std::string{why} + '\n'};
  answer.fields.add("Content-Type", "text/plain; charset=utf-8");
  return answer;
}

bool has_body(const http_head& head) noexcept {
  return head.length.value_or(0) > 0 || head.fields.count("transfer-encoding") > 0;
}

std::size_t bytes_in(duration window, std::size_t a_second) noexcept {
  const auto bytes = std::chrono::duration<double>(window).count() * static_cast<double>(a_second);
  return std::max<std::size_t>(1, static_cast<std::size_t>(bytes));
}

}  // namespace

server_connection::server_connection(std::unique_ptr<byte_stream> over, http_server_state& all)
    : over_(std::move(over)),
      all_(all),
      options_(all.options),
      parser_(http_parser::side::request, all.options.limits),
      waiting_since_(all.home.now()) {}

server_connection::eviction_priority server_connection::priority() const noexcept {
  if (state_ == state::answering) return eviction_priority::answering;
  // A connection that was never answered is closed first, however much of its first request has arrived: heads cost
  // nothing to send.
  if (!used_ || state_ == state::closing) return eviction_priority::unused;
  if (headed_.is_set() && state_ == state::reading) return eviction_priority::in_body;
  return begun_.is_set() ? eviction_priority::in_head : eviction_priority::idle;
}

drain_rate server_connection::write_rate() const noexcept {
  return {.window = options_.write_deadline, .bytes = bytes_in(options_.write_deadline, options_.min_rate)};
}

void server_connection::on_bytes() noexcept {
  if (state_ == state::closing) {
    over_->consume(over_->unread().size());
  } else if (state_ == state::reading) {
    read_on();
  } else if (over_->unread().size() > max_ahead) {
    on_end(refusal(errc::too_large, "http: the client sends requests ahead of their turn"));
  }
}

void server_connection::read_on() noexcept {
  while (!failure_ && !parser_.complete() && !over_->unread().empty()) {
    begun_.set();
    auto taken = parser_.feed(over_->unread(), *this);
    if (!taken) return fail(std::move(taken).error());
    over_->consume(*taken);
    received_ += *taken;
  }
}

// T-32: whether the sender may make the request is decided before its body is read. Without a body, the connection may
// continue.
void server_connection::on_head(const http_head& /*head*/) noexcept {
  head_ = parser_.take_head();
  headed_.set();
  // RFC 9112, "Request Target": exactly one Host field.
  if (head_.minor > 0 && head_.fields.count("host") != 1)
    return fail(refusal(errc::protocol, "http: the request has not exactly one host"));
  if (!all_.judge) return;
  auto judged = guarded("the function that judges HTTP requests", [&] { return all_.judge(head_); });
  if (!judged) {
    all_.home.log().write(log_level::error, "callback", judged.error().what);
    refusal_ = plain_answer(500, "the server failed");
  } else {
    refusal_ = std::move(*judged);
  }
  if (refusal_ && has_body(head_)) fail(refusal(errc::protocol, "http: the request is refused"));
}

void server_connection::on_body(std::string_view piece) noexcept {
  if (failure_) return;
  const std::size_t needed = std::max(body_.size() + piece.size(), free_body) - free_body - counted_body_;
  if (!held_) held_ = all_.bodies.take(0);
  if (!held_ || !held_->extend(needed)) {
    refusal_ = plain_answer(503, "the server holds too many large requests; come again later");
    refusal_->fields.add("Retry-After", "10");
    return fail(refusal(errc::too_large, "http: the request is too large for now"));
  }
  counted_body_ += needed;
  body_ += piece;
}

void server_connection::on_complete() noexcept {
  if (failure_) return;
  state_ = state::answering;
  used_ = true;
  complete_.set();
}

void server_connection::on_end(const error& why) noexcept {
  ended_.set();
  if (call_ != nullptr) call_->request_stop();
  if (state_ == state::reading) fail(refusal(errc::closed, why.what));
}

void server_connection::fail(error why) noexcept {
  if (!failure_) failure_ = std::move(why);
  begun_.set();
  headed_.set();
  complete_.set();
}

// Waits for the whole body within its deadline; too few bytes in one rate window fail it earlier.
task<result<void>> server_connection::body_arrived() {
  const time_point end = all_.home.now() + options_.body_deadline;
  while (true) {
    const std::uint64_t before = received_;
    const duration window = std::min(options_.rate_window, end - all_.home.now());
    auto completed = co_await with_timeout(window, detail::wait_for(complete_));
    const bool waited = !completed && completed.error().code == errc::timed_out;
    const bool fast_enough = received_ - before >= bytes_in(window, options_.min_rate);
    if (!waited || !fast_enough || all_.home.now() >= end) co_return completed;
  }
}

task<result<void>> server_connection::next_request() {
  auto begun = co_await with_timeout(options_.idle_deadline, detail::wait_for(begun_));
  if (!begun) co_return refusal(errc::closed, "http: the connection was idle");
  auto headed = co_await with_timeout(options_.head_deadline, detail::wait_for(headed_));
  if (!headed) co_return headed;
  if (failure_) co_return *failure_;
  if (!complete_.is_set() && head_.minor > 0 && has_list_element(head_.fields, "expect", "100-continue"))
    over_->write("HTTP/1.1 100 Continue\r\n\r\n");
  auto completed = co_await body_arrived();
  if (!completed) co_return completed;
  if (failure_) co_return *failure_;
  co_return result<void>{};
}

void server_connection::send_last_response(const complete_response& last) {
  http_head nothing;  // independent of the request: the connection ends
  server_exchange call{*over_, std::move(nothing), {}, write_rate()};
  call.reply(last.status, last.fields, last.body);
}

void server_connection::refuse(const error& why) {
  switch (why.code) {
    case errc::too_large:
    case errc::protocol: {
      const int too_large = headed_.is_set() && !head_.method.empty() ? 413 : 431;
      return send_last_response(refusal_ ? *refusal_
                                         : plain_answer(why.code == errc::protocol ? 400 : too_large, why.what));
    }
    case errc::timed_out:
      return send_last_response(plain_answer(408, "the request did not come in time, or too slowly"));
    default: return;  // idle, disconnected or stopped: no response is wanted
  }
}

task<bool> server_connection::answer() {
  server_exchange call{*over_, std::move(head_), std::move(body_), write_rate(), std::move(held_)};
  held_.reset();
  counted_body_ = 0;
  if (refusal_) {
    call.reply(refusal_->status, refusal_->fields, refusal_->body);
    auto taken = co_await drained_at_rate(*over_, write_rate());
    cut_off_ = !taken.has_value();
    co_return taken.has_value() && call.keeps_connection() && !ended_.is_set();
  }
  bool threw = false;
  scope one{co_await this_context()};
  call_ = &one;
  if (ended_.is_set()) one.request_stop();
  one.spawn(run_handler(all_.with, call, threw));
  co_await one.join();
  call_ = nullptr;
  const bool stopped = one.stop_requested();
  if (call.stage() == server_exchange::response_stage::not_started && !stopped) {
    http_fields none;
    call.reply(500, none, threw ? "the server failed\n" : "the server has no answer\n");
  }
  call.release_body();
  cut_off_ = call.stage() != server_exchange::response_stage::ended || call.too_slow();
  if (cut_off_ || ended_.is_set()) co_return false;
  auto taken = co_await drained_at_rate(*over_, write_rate());
  if (!taken) cut_off_ = true;
  co_return taken.has_value() && call.keeps_connection() && !ended_.is_set();
}

void server_connection::prepare_next() noexcept {
  parser_.next();
  head_ = {};
  body_ = {};
  refusal_.reset();
  waiting_since_ = all_.home.now();
  begun_.reset();
  headed_.reset();
  complete_.reset();
  state_ = state::reading;
  over_->trim();
  read_on();  // reads pipelined requests
}

task<void> server_connection::run() {
  over_->listen(*this);
  while (true) {
    auto ready = co_await next_request();
    if (!ready) {
      refuse(ready.error());
      break;
    }
    const bool another = co_await answer();
    if (!another) break;
    if (!over_->unread().empty()) {  // what came ahead of its turn: others are served in between
      auto polled = co_await sleep_for(duration::zero());
      if (!polled) break;
    }
    prepare_next();
  }
  co_await close_gracefully();
}

task<void> server_connection::reject() {
  over_->listen(*this);
  send_last_response(plain_answer(503, "the server has too many connections"));
  co_await close_gracefully();
}

task<void> server_connection::close_gracefully() {
  state_ = state::closing;
  const context where = co_await this_context();
  if (!cut_off_ && !ended_.is_set() && !where.stop_requested()) {
    over_->consume(over_->unread().size());
    auto shut = co_await with_timeout(options_.write_deadline, shut_down(*over_));
    auto waited = co_await with_timeout(linger, detail::wait_for(ended_));
    ignore(shut, "closed in any case");
    ignore(waited, "closed in any case");
  }
  co_await over_->close();
}

}  // namespace hawser
