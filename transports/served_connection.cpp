// SPDX-License-Identifier: MIT
#include "served_connection.hpp"

#include "../runtime/detail/wait_for.hpp"
#include "../runtime/guarded.hpp"
#include "../runtime/timeout.hpp"

namespace hawser {

namespace {

// Requests ahead of their turn wait here. Nobody's client does that today, so there is room for a few small ones.
constexpr std::size_t max_ahead = std::size_t{1} << 20;
// How long a client that was refused may go on talking, so that it can read why: closing at once would reset it.
constexpr duration linger = std::chrono::seconds{1};

task<result<void>> shut_down(byte_stream& over) { co_return co_await over.shutdown(); }

// What throws is the caller's fault, not the client's and not the process's.
task<void> run_answer(const answer_request& with, http_call& call, bool& threw) {
  const context here = co_await this_context();
  auto answering =
      guarded_task("the function that answers HTTP requests", [&] { return with(call); }, &here.loop->log());
  auto answered = co_await std::move(answering);
  threw = answered.has_error();
}

error refusal(errc code, std::string what) { return error{.code = code, .what = std::move(what)}; }

}  // namespace

served_connection::served_connection(std::unique_ptr<byte_stream> over, const http_server_options& options)
    : over_(std::move(over)), options_(options), parser_(http_parser::side::request, options.limits) {}

void served_connection::on_bytes() noexcept {
  if (state_ == state::leaving) {
    over_->consume(over_->unread().size());
  } else if (state_ == state::reading) {
    read_on();
  } else if (over_->unread().size() > max_ahead) {
    on_end(refusal(errc::too_large, "http: the client sends requests ahead of their turn"));
  }
}

void served_connection::read_on() noexcept {
  while (!failure_ && !parser_.complete() && !over_->unread().empty()) {
    begun_.set();
    auto taken = parser_.feed(over_->unread(), *this);
    if (!taken) return fail(std::move(taken).error());
    over_->consume(*taken);
  }
}

void served_connection::on_head(const http_head& /*head*/) noexcept {
  head_ = parser_.take_head();
  headed_.set();
}

void served_connection::on_complete() noexcept {
  state_ = state::answering;
  complete_.set();
}

void served_connection::on_end(const error& why) noexcept {
  ended_.set();
  if (call_ != nullptr) call_->request_stop();
  if (state_ == state::reading) fail(refusal(errc::closed, why.what));
}

void served_connection::fail(error why) noexcept {
  if (!failure_) failure_ = std::move(why);
  begun_.set();
  headed_.set();
  complete_.set();
}

task<result<void>> served_connection::next_request() {
  auto begun = co_await with_timeout(options_.idle_deadline, detail::wait_for(begun_));
  if (!begun) co_return refusal(errc::closed, "http: the connection was idle");
  auto headed = co_await with_timeout(options_.head_deadline, detail::wait_for(headed_));
  if (!headed) co_return headed;
  if (failure_) co_return *failure_;
  // RFC 9112, "Request Target": one Host, no more, no less.
  if (head_.minor > 0 && head_.fields.count("host") != 1)
    co_return refusal(errc::protocol, "http: the request has not exactly one host");
  if (!complete_.is_set() && head_.minor > 0 && has_word(head_.fields, "expect", "100-continue"))
    over_->write("HTTP/1.1 100 Continue\r\n\r\n");
  auto completed = co_await with_timeout(options_.body_deadline, detail::wait_for(complete_));
  if (!completed) co_return completed;
  if (failure_) co_return *failure_;
  co_return result<void>{};
}

void served_connection::say(int status, std::string_view why) {
  http_head nothing;  // whatever was asked: the connection ends
  http_call call{*over_, std::move(nothing), {}, options_.write_deadline};
  http_fields fields;
  fields.add("Content-Type", "text/plain; charset=utf-8");
  call.reply(status, fields, std::string{why} + '\n');
}

void served_connection::refuse(const error& why) {
  switch (why.code) {
    case errc::too_large: return say(headed_.is_set() && !head_.method.empty() ? 413 : 431, why.what);
    case errc::protocol: return say(400, why.what);
    case errc::timed_out: return say(408, "the request did not come in time");
    default: return;  // idle, gone or stopped: nobody waits for an answer
  }
}

task<bool> served_connection::answer(const answer_request& with) {
  http_call call{*over_, std::move(head_), std::move(body_), options_.write_deadline};
  bool threw = false;
  scope one{co_await this_context()};
  call_ = &one;
  if (ended_.is_set()) one.request_stop();
  one.spawn(run_answer(with, call, threw));
  co_await one.join();
  call_ = nullptr;
  const bool stopped = one.stop_requested();
  if (call.so_far() == http_call::stage::silent && !stopped) {
    http_fields none;
    call.reply(500, none, threw ? "the server failed\n" : "the server has no answer\n");
  }
  cut_off_ = call.so_far() != http_call::stage::ended;
  if (cut_off_ || ended_.is_set()) co_return false;
  auto taken = co_await drained_patiently(*over_, options_.write_deadline);
  if (!taken) cut_off_ = true;
  co_return taken.has_value() && call.keeps_connection() && !ended_.is_set();
}

void served_connection::prepare_next() noexcept {
  parser_.next();
  head_ = {};
  body_ = {};
  begun_.reset();
  headed_.reset();
  complete_.reset();
  state_ = state::reading;
  over_->rest();
  read_on();  // what came ahead of its turn
}

task<void> served_connection::run(const answer_request& with) {
  over_->listen(*this);
  while (true) {
    auto ready = co_await next_request();
    if (!ready) {
      refuse(ready.error());
      break;
    }
    const bool another = co_await answer(with);
    if (!another) break;
    prepare_next();
  }
  co_await leave();
}

task<void> served_connection::turn_away() {
  over_->listen(*this);
  say(503, "the server has too many connections");
  co_await leave();
}

task<void> served_connection::leave() {
  state_ = state::leaving;
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
