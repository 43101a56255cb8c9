// SPDX-License-Identifier: MIT
#include "http_reply.hpp"

#include <algorithm>

#include "../runtime/detail/wait_for.hpp"
#include "../runtime/timeout.hpp"
#include "../transports/protocol.hpp"

namespace hawser {

namespace {

// 2026-07-28: errors about the request as such have a status of their own; what a service says travels on 200.
int status_of(int failure) noexcept {
  namespace code = protocol::code;
  switch (failure) {
    case code::method_not_found: return 404;
    case code::invalid_request:
    case code::header_mismatch:
    case code::missing_capability:
    case code::unsupported_version: return 400;
    default: return 200;
  }
}

}  // namespace

bool http_reply::has_asked(std::int64_t request) const noexcept {
  return std::find(asked_.begin(), asked_.end(), request) != asked_.end();
}

void http_reply::add(const outgoing& message) {
  if (over()) return;
  std::string_view line = message.line;
  while (line.ends_with('\n')) line.remove_suffix(1);
  waiting_.push_back({std::string{line}, message.answers, message.failure});
  queued_ += line.size();
  if (tally_ != nullptr) tally_->queued += line.size();
  if (message.request) asked_.push_back(*message.request);
  if (message.answers) {
    if (const auto answered = expected_.find(message.about); answered != expected_.end()) expected_.erase(answered);
  }
  changed_.set();
}

void http_reply::end() noexcept {
  ended_ = true;
  changed_.set();
}

void http_reply::taken(std::size_t bytes) noexcept {
  queued_ -= bytes;
  if (tally_ == nullptr) return;
  tally_->queued -= bytes;
  tally_->moved.set();
}

void http_reply::count_in(reply_tally* tally) noexcept {
  if (tally_ != nullptr) {
    tally_->queued -= queued_;
    tally_->moved.set();
  }
  tally_ = tally;
  if (tally_ != nullptr) tally_->queued += queued_;
}

void http_reply::begin(http_call& call, const manner& how) {
  http_fields fields = how.fields;
  fields.add("Content-Type", "text/event-stream");
  fields.add("Cache-Control", "no-cache, no-transform");
  fields.add("X-Accel-Buffering", "no");
  call.begin(200, fields);
}

void http_reply::reply(http_call& call, const piece& all, const manner& how) {
  http_fields fields;
  if (all.failure == 0) fields = how.fields;
  fields.add("Content-Type", "application/json");
  fields.add("Cache-Control", "no-store");
  call.reply(how.statuses ? status_of(all.failure) : 200, fields, all.line);
}

// Waits for the next message; false where there will be none.
task<bool> http_reply::more(http_call& call, const manner& how) {
  while (waiting_.empty() && !over()) {
    changed_.reset();
    auto changed = co_await with_timeout(how.keep_alive, detail::wait_for(changed_));
    if (changed) continue;
    if (changed.error().code != errc::timed_out) co_return false;
    if (call.so_far() == http_call::stage::silent) begin(call, how);
    auto alive = co_await call.send(": still here\n\n");
    if (!alive) co_return false;
  }
  co_return !waiting_.empty();
}

task<void> http_reply::write(http_call& call, const manner& how) {
  if (call.so_far() == http_call::stage::silent && form_ == form::events) begin(call, how);
  while (co_await more(call, how)) {
    const piece next = std::move(waiting_.front());
    waiting_.pop_front();
    if (call.so_far() == http_call::stage::silent && next.answers && over()) {
      reply(call, next, how);
      taken(next.line.size());
      co_return;
    }
    if (call.so_far() == http_call::stage::silent) begin(call, how);
    std::string text = "data: ";
    text.append(next.line).append("\n\n");
    auto sent = co_await call.send(text);
    taken(next.line.size());
    if (!sent && sent.error().code != errc::cancelled) co_return;  // the last words are said under a stop, too
  }
  if (over() && waiting_.empty() && call.so_far() == http_call::stage::streaming) call.end();
}

}  // namespace hawser
