// SPDX-License-Identifier: MIT
#include "call_operation.hpp"

#include "peer.hpp"

namespace hawser {

namespace {

constexpr int progress_per_second = 1000;

}  // namespace

void call_operation::start() {
  if (stop_is_coming()) {
    finish(cancelled_error());
    return;
  }
  if (owner_.closed_) {
    finish(*owner_.closed_);
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
  started_ = home().rough_now();
  home().start_roughly(*this, std::min(options_.idle_timeout, options_.hard_timeout));
  std::string& line = owner_.line_;
  line.clear();
  request_.append_to(line, id_, argument_);
  owner_.queued_ = owner_.channel_.send({.line = line,
                                         .request = id_,
                                         .fields = options_.fields,
                                         .method = request_.plain_method(),
                                         .about = options_.about});
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

// Says whether the request can have been executed.
execution call_operation::give_up(std::string_view reason) noexcept {
  timer::cancel();
  if (owner_.calls_.take(id_) == nullptr) return execution::unknown;
  if (owner_.channel_.withdraw(id_)) return execution::no;
  if (options_.when_stopped == call_options::giving_up::tells_the_other_side) {
    owner_.channel_.cancel(id_, reason);
  } else {
    owner_.channel_.release(id_);
  }
  return execution::unknown;
}

void call_operation::cancel() noexcept {
  error why = cancelled_error();
  why.executed = give_up("cancelled by the user");
  finish(std::move(why));
}

void call_operation::on_expired() noexcept {
  const bool silent = home().now() - started_ < options_.hard_timeout;
  const execution executed = give_up("timed out");
  const duration bound = silent ? options_.idle_timeout : options_.hard_timeout;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(bound).count();
  finish(error{.code = errc::timed_out,
               .what = silent ? "no answer and no progress for " + std::to_string(ms) + " ms"
                              : "no answer within " + std::to_string(ms) + " ms, the longest that is allowed",
               .executed = executed});
}

void call_operation::progressed(const progress_update& update) noexcept {
  const time_point now = home().now();
  if (last_progress_ && !(update.progress > *last_progress_)) {
    owner_.count(owner_.counters_.progress, "progress that does not grow");
    return;
  }
  last_progress_ = update.progress;
  timer::cancel();
  home().start(*this, std::min(options_.idle_timeout, options_.hard_timeout - (now - started_)));
  if (!options_.on_progress) return;
  if (now - progress_second_ >= std::chrono::seconds{1}) {
    progress_second_ = now;
    progress_count_ = 0;
  }
  if (++progress_count_ > progress_per_second) {
    owner_.count(owner_.counters_.progress, "progress more often than anybody can see");
    return;
  }
  try {
    options_.on_progress(update);
  } catch (const std::exception& thrown) {  // of the embedder's own function: its call goes on
    home().log().write(log_level::error, "peer", std::string{"a progress function threw: "} + thrown.what());
  } catch (...) {
    home().log().write(log_level::error, "peer", "a progress function threw");
  }
}

result<raw_json> call_operation::await_resume() {
  if (failure_) [[unlikely]]
    return std::move(*failure_);
  if (id_ == 0) return cancelled_error();  // stopped before it was sent
  return std::move(answer_);
}

}  // namespace hawser
