// SPDX-License-Identifier: MIT
#include "call_operation.hpp"

#include "../../runtime/guarded.hpp"
#include "peer.hpp"

namespace hawser {

namespace {

constexpr int progress_per_second = 1000;

std::string in_milliseconds(duration length) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(length).count()) + " ms";
}

error call_was_silent(duration bound, execution executed) {
  return error{
      .code = errc::timed_out, .what = "no answer and no progress for " + in_milliseconds(bound), .executed = executed};
}

error call_took_too_long(duration bound, execution executed) {
  return error{.code = errc::timed_out,
               .what = "no answer within " + in_milliseconds(bound) + ", the longest that is allowed",
               .executed = executed};
}

}  // namespace

void call_operation::start() {
  if (stop_requested_anywhere()) {
    finish(cancelled_error());
    return;
  }
  if (owner_.closed_) {
    finish(*owner_.closed_);
    return;
  }
  if (options_.elapsed_before >= options_.hard_timeout) {
    finish(call_took_too_long(options_.hard_timeout, execution::no));
    return;
  }
  if (owner_.queued_ > owner_.limits_.max_queued && owner_.channel_.queued() > owner_.limits_.max_queued) {
    finish(error{.code = errc::too_large,
                 .what = "the other side does not read: more than " + std::to_string(owner_.limits_.max_queued) +
                         " bytes wait to be sent"});
    return;
  }
  id_ = owner_.calls_.add(*this);
  if (id_ == 0) {
    finish(error{.code = errc::too_large,
                 .what = "more than " + std::to_string(owner_.calls_.limit()) + " calls are pending"});
    return;
  }
  if (options_.id != nullptr) *options_.id = id_;
  started_ = last_sign_ = event_loop().coarse_now();
  event_loop().start_coarse(*this, std::min(options_.idle_timeout, options_.hard_timeout - options_.elapsed_before));
  std::string& line = owner_.line_;
  line.clear();
  request_.append_to(line, id_, argument_);
  owner_.queued_ = owner_.channel_.send({.line = line,
                                         .request = id_,
                                         .fields = options_.fields,
                                         .method = request_.plain_method(),
                                         .related_request = options_.related_request,
                                         .check = options_.check});
}

void call_operation::finish(const message_view& message) noexcept {
  timer::cancel();
  answer_ = raw_json{message, message.result};
  complete();
}

void call_operation::finish(error why) noexcept {
  timer::cancel();
  failure_ = std::make_unique<error>(std::move(why));
  complete();
}

// Returns whether the request may have been executed.
execution call_operation::abandon(std::string_view reason) noexcept {
  timer::cancel();
  if (owner_.calls_.take(id_) == nullptr) return execution::unknown;
  if (owner_.channel_.withdraw(id_)) return execution::no;
  if (options_.on_abandon == call_options::cancellation_notice::send) {
    owner_.channel_.cancel(id_, reason);
  } else {
    owner_.channel_.release(id_);
  }
  return execution::unknown;
}

void call_operation::cancel() noexcept {
  error why = cancelled_error();
  why.executed = abandon("cancelled by the user");
  finish(std::move(why));
}

duration call_operation::total_left(time_point now) const noexcept {
  return options_.hard_timeout - options_.elapsed_before - (now - started_);
}

// While the remote side waits for a response from us, its silence does not count.
duration call_operation::silence_left(time_point now) const noexcept {
  if (owner_.timeout_pauses_ > 0) return options_.idle_timeout;
  if (owner_.pause_ended_ <= last_sign_) return duration::zero();
  return options_.idle_timeout - (now - owner_.pause_ended_);
}

void call_operation::on_expired() noexcept {
  const time_point now = event_loop().now();
  const bool silent = total_left(now) > duration::zero();
  if (silent && silence_left(now) > duration::zero()) {
    event_loop().start(*this, std::min(silence_left(now), total_left(now)));
    return;
  }
  const execution executed = abandon("timed out");
  finish(silent ? call_was_silent(options_.idle_timeout, executed)
                : call_took_too_long(options_.hard_timeout, executed));
}

void call_operation::progressed(const progress_update& update) noexcept {
  const time_point now = event_loop().now();
  if (last_progress_ && !(update.progress > *last_progress_)) {
    owner_.count(owner_.counters_.progress, "progress that does not grow");
    return;
  }
  last_progress_ = update.progress;
  last_sign_ = now;
  timer::cancel();
  event_loop().start(*this, std::min(options_.idle_timeout, total_left(now)));
  if (!options_.on_progress) return;
  if (now - progress_second_ >= std::chrono::seconds{1}) {
    progress_second_ = now;
    progress_count_ = 0;
  }
  if (++progress_count_ > progress_per_second) {
    owner_.count(owner_.counters_.progress, "progress more often than anybody can see");
    return;
  }
  call_guarded(event_loop().log(), "on_progress", [&] { options_.on_progress(update); });
}

result<raw_json> call_operation::await_resume() {
  if (failure_) [[unlikely]]
    return std::move(*failure_);
  if (id_ == 0) return cancelled_error();  // stopped before it was sent
  return std::move(answer_);
}

}  // namespace hawser
