// SPDX-License-Identifier: MIT
#include "http_reply.hpp"

#include "../runtime/detail/wait_for.hpp"
#include "../runtime/timeout.hpp"
#include "../transports/protocol.hpp"

namespace hawser {

namespace {

// 2026-07-28: protocol-level errors have an HTTP status of their own; errors of the service are sent with status 200.
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

void http_reply::expect_no_more(std::string_view id) noexcept {
  if (const auto found = expected_.find(id); found != expected_.end()) expected_.erase(found);
  changed_.set();
}

void http_reply::add(const outgoing& message) {
  if (over()) return;
  std::string line = message.storage != nullptr ? std::move(*message.storage) : std::string{message.line};
  while (line.ends_with('\n')) line.pop_back();
  const std::size_t size = line.size();
  waiting_.push_back({std::move(line), message.answers, message.failure});
  queued_ += size;
  if (unread_ != nullptr) unread_->add(size);
  if (message.answers) expect_no_more(message.about);
  changed_.set();
}

void http_reply::end() noexcept {
  ended_ = true;
  changed_.set();
}

void http_reply::drop() noexcept {
  end();
  for (const piece& one : waiting_) taken(one.line.size());
  waiting_.clear();
}

void http_reply::taken(std::size_t bytes) noexcept {
  queued_ -= bytes;
  if (unread_ != nullptr) unread_->remove(bytes);
}

void http_reply::count_in(unread_bytes* unread) noexcept {
  if (unread_ != nullptr) unread_->remove(queued_);
  unread_ = unread;
  if (unread_ != nullptr) unread_->add(queued_);
}

void http_reply::begin(http_call& call, const manner& how) {
  http_fields fields = how.fields;
  fields.add("Content-Type", "text/event-stream");
  fields.add("Cache-Control", "no-cache, no-transform");
  fields.add("X-Accel-Buffering", "no");
  call.begin(200, fields);
}

void http_reply::reply(http_call& call, piece all, const manner& how) {
  http_fields fields;
  if (all.failure == 0) fields = how.fields;
  fields.add("Content-Type", "application/json");
  fields.add("Cache-Control", "no-store");
  call.reply(how.statuses ? status_of(all.failure) : 200, fields, std::move(all.line));
}

// Waits for the next message. Returns false if there will be none.
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
    piece next = std::move(waiting_.front());
    waiting_.pop_front();
    const std::size_t size = next.line.size();
    if (call.so_far() == http_call::stage::silent && next.answers && over()) {
      reply(call, std::move(next), how);
      if (!call.all_taken()) {  // until then it is unread
        auto all = co_await call.taken();
        ignore(all, "the connection ends, and whoever serves it sees why");
      }
      taken(size);
      co_return;
    }
    if (call.so_far() == http_call::stage::silent) begin(call, how);
    std::string text;
    text.reserve(size + 8);
    text.append("data: ").append(next.line).append("\n\n");
    std::string{}.swap(next.line);  // it may be large, and the client slow
    auto sent = co_await call.send(std::move(text));
    taken(size);
    if (!sent && sent.error().code != errc::cancelled) co_return;  // the final messages are sent even after a stop
  }
  if (over() && waiting_.empty() && call.so_far() == http_call::stage::streaming) call.end();
}

}  // namespace hawser
