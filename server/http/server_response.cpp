// SPDX-License-Identifier: MIT
#include "server_response.hpp"

#include "../../runtime/async/detail/wait_for.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../../transports/jsonrpc/protocol.hpp"

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

void server_response::stop_expecting(std::string_view id) noexcept {
  if (const auto found = expected_.find(id); found != expected_.end()) expected_.erase(found);
  changed_.set();
}

void server_response::add(const outgoing_message& message) {
  if (over()) return;
  std::string line = message.storage != nullptr ? std::move(*message.storage) : std::string{message.line};
  while (line.ends_with('\n')) line.pop_back();
  const std::size_t size = line.size();
  waiting_.push_back({std::move(line), message.is_response, message.failure});
  queued_ += size;
  if (backlog_ != nullptr) backlog_->add(size);
  if (message.is_response) stop_expecting(message.related_request);
  changed_.set();
}

void server_response::end() noexcept {
  ended_ = true;
  changed_.set();
}

void server_response::drop() noexcept {
  end();
  for (const piece& one : waiting_) taken(one.line.size());
  waiting_.clear();
}

void server_response::taken(std::size_t bytes) noexcept {
  queued_ -= bytes;
  if (backlog_ != nullptr) backlog_->remove(bytes);
}

void server_response::count_in(send_backlog* unread) noexcept {
  if (backlog_ != nullptr) backlog_->remove(queued_);
  backlog_ = unread;
  if (backlog_ != nullptr) backlog_->add(queued_);
}

void server_response::begin(server_exchange& call, const write_options& how) {
  http_fields fields = how.fields;
  fields.add("Content-Type", "text/event-stream");
  fields.add("Cache-Control", "no-cache, no-transform");
  fields.add("X-Accel-Buffering", "no");
  call.begin(200, fields);
}

void server_response::reply(server_exchange& call, piece all, const write_options& how) {
  http_fields fields;
  if (all.failure == 0) fields = how.fields;
  fields.add("Content-Type", "application/json");
  fields.add("Cache-Control", "no-store");
  call.reply(how.maps_errors_to_status ? status_of(all.failure) : 200, fields, std::move(all.line));
}

// Waits for the next message. Returns false if there will be none.
task<bool> server_response::more(server_exchange& call, const write_options& how) {
  while (waiting_.empty() && !over()) {
    changed_.reset();
    auto changed = co_await with_timeout(how.keep_alive, detail::wait_for(changed_));
    if (changed) continue;
    if (changed.error().code != errc::timed_out) co_return false;
    if (call.stage() == server_exchange::response_stage::not_started) begin(call, how);
    auto alive = co_await call.send(": still here\n\n");
    if (!alive) co_return false;
  }
  co_return !waiting_.empty();
}

task<void> server_response::write(server_exchange& call, const write_options& how) {
  if (call.stage() == server_exchange::response_stage::not_started && form_ == form::events) begin(call, how);
  while (co_await more(call, how)) {
    piece next = std::move(waiting_.front());
    waiting_.pop_front();
    const std::size_t size = next.line.size();
    if (call.stage() == server_exchange::response_stage::not_started && next.answers && over()) {
      reply(call, std::move(next), how);
      if (!call.is_drained()) {  // until then it is unread
        auto all = co_await call.drained();
        ignore(all, "the connection ends, and whoever serves it sees why");
      }
      taken(size);
      co_return;
    }
    if (call.stage() == server_exchange::response_stage::not_started) begin(call, how);
    std::string text;
    text.reserve(size + 8);
    text.append("data: ").append(next.line).append("\n\n");
    std::string{}.swap(next.line);  // it may be large, and the client slow
    auto sent = co_await call.send(std::move(text));
    taken(size);
    if (!sent && sent.error().code != errc::cancelled) co_return;  // the final messages are sent even after a stop
  }
  if (over() && waiting_.empty() && call.stage() == server_exchange::response_stage::streaming) call.end();
}

}  // namespace hawser
