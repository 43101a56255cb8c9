// SPDX-License-Identifier: MIT
#include "session_slot.hpp"

#include <algorithm>

#include "../../runtime/async/timeout.hpp"
#include "../../transports/jsonrpc/protocol.hpp"

namespace hawser {

error session_slot::unavailable_error() const {
  error why{.code = ended_ && !finished() ? ended_->code : errc::closed, .what = std::string{to_string(state_)}};
  if (!reason_.empty() && reason_ != why.what) why.what += ": " + reason_;
  if (!advice_.empty()) why.what += " (" + advice_ + ')';
  if (ended_) {
    why.native = ended_->native;
    why.retry_after = ended_->retry_after;
  }
  return why;
}

std::string session_slot::phase() const {
  if (state_ != server_state::starting) return {};
  if (!session_) return "turn";
  return std::string{session_->phase().empty() ? protocol::method::tools_list : session_->phase()};
}

std::string session_slot::stderr_tail() const {
  std::string_view tail = process_ != nullptr ? process_->stderr_tail() : std::string_view{last_stderr_};
  // A truncated tail may start with the end of a secret, which the redaction cannot match. So its first line is
  // dropped, unless it is the only one.
  const std::size_t first = tail.find('\n');
  if (tail.size() >= stdio_channel_options{}.max_kept_stderr && first + 1 < tail.size()) tail.remove_prefix(first + 1);
  return server_.redacted(tail);
}

task<result<void>> session_slot::open(server_channel opened_channel, session_listener& listener,
                                      session::open_mode mode, time_point deadline) {
  ended_.reset();
  process_ = opened_channel.process;
  session_ =
      std::make_unique<session>(server_.shared().session, server_.name(), std::move(opened_channel.stream), listener);
  stage_ = stage::opening;
  const duration left = std::max(duration::zero(), deadline - server_.event_loop().now());
  session::open_options options{.how = mode, .revision = server_.settings().protocol.revision, .timeout = left};
  auto opened = co_await with_timeout(left, session_->open(std::move(options)));
  if (opened) co_return opened;
  error why = opened.error();
  if (why.code == errc::timed_out && why.phase.empty()) {
    why.what = "it did not answer within " + format_duration(server_.settings().startup_timeout) +
               " of its start; still waiting for: " + std::string{session_->phase()};
    if (process_ != nullptr) why.what += process_->explanation();
    why.what += "; set a longer \"startup_timeout\" if it needs more time";
    why.phase = "start";
  }
  co_return why;
}

void session_slot::on_session_closed(const error& why) {
  ended_ = why;
  stage_ = stage::closed;
}

task<void> session_slot::close() {
  if (!session_) co_return;
  stage_ = stage::closed;
  auto closed = co_await session_->close();
  if (!closed) server_.log(log_level::warning, closed.error().what);
  if (process_ != nullptr) {
    last_stderr_ = process_->stderr_tail();
    last_noise_ = process_->reader().noise();
    process_ = nullptr;
  }
  session_.reset();
  stage_ = stage::empty;
}

void session_slot::finish() {
  stage_ = stage::finished;
  set_state(server_state::stopped, "stopped");
}

void session_slot::set_state(server_state state, std::string reason, std::string advice) {
  reason = server_.redacted(reason);
  const bool is_new = state != state_ || reason != reason_;
  state_ = state;
  reason_ = std::move(reason);
  advice_ = std::move(advice);
  changed_.set();
  if (is_new) server_.report({.what = host_change::kind::server});
}

}  // namespace hawser
