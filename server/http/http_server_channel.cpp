// SPDX-License-Identifier: MIT
#include "http_server_channel.hpp"

#include <algorithm>

#include "../../runtime/async/sleep.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../../runtime/detail/check.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/jsonrpc/outgoing_lines.hpp"
#include "../../transports/jsonrpc/protocol.hpp"

namespace hawser {

namespace {

// Messages queued for a client that has no listening stream. It may open one soon, open one again, or never open one.
constexpr std::size_t max_unsent_messages = 64;
constexpr std::size_t max_unsent_bytes = std::size_t{256} << 10;
// This much of every session is never counted against the client's limit, so that clients that do not read cannot
// block small responses to others.
constexpr std::size_t free_unread = std::size_t{64} << 10;

}  // namespace

http_server_channel::http_server_channel(http_server_channel_limits limits, std::shared_ptr<send_backlog> of_client)
    : limits_(limits), backlog_(limits.max_unread, std::move(of_client), free_unread) {}

http_server_channel::~http_server_channel() {
  detail::require(to_ == nullptr || ended_, "a channel died before it was closed");
}

task<result<void>> http_server_channel::open(receiver& to) {
  if (ended_) co_return error{.code = errc::closed, .what = "the session had ended before it began"};
  to_ = &to;
  opened_.set();
  co_return result<void>{};
}

task<result<void>> http_server_channel::wait_until_open() {
  auto ready = co_await opened_.wait();
  if (!ready) co_return ready;
  if (ended_) co_return error{.code = errc::closed, .what = "the session has ended"};
  co_return result<void>{};
}

void http_server_channel::deliver(std::string_view message) {
  if (ended_ || to_ == nullptr) return;
  const message_view opened = scanner_.scan(message);
  to_->on_message(opened);
  if (opened.kind != message_kind::notification || opened.method != protocol::notification::cancelled) return;
  // Cancellation: there will be no response, so the HTTP response must not wait for it. Other requests of the same
  // batch continue.
  if (const auto id = request_id::from_json(find_member(opened.params, "requestId"))) {
    const auto found = awaited_.find(id->json());
    if (found == awaited_.end()) return;
    found->second->stop_expecting(found->first);
    awaited_.erase(found);
  }
}

server_response* http_server_channel::response_for(std::string_view id) const noexcept {
  const auto found = awaited_.find(id);
  return found == awaited_.end() ? nullptr : found->second;
}

void http_server_channel::attach(server_response& reply) {
  responses_.push_back(&reply);
  for (const std::string& id : reply.expected()) awaited_.emplace(id, &reply);
  reply.count_in(&backlog_);
}

// Returns null if no stream can take the message now.
server_response* http_server_channel::stream_for(const outgoing_message& message) const noexcept {
  server_response* reply = message.related_request.empty() ? nullptr : response_for(message.related_request);
  if (reply != nullptr) return reply;
  return message.related_request.empty() || message.request ? listening_stream_ : nullptr;
}

std::size_t http_server_channel::queued_before(const outgoing_message& message) const noexcept {
  const server_response* way = stream_for(message);
  return way != nullptr ? way->queued() : 0;
}

// Each message goes to exactly one stream: that of the request it belongs to. If the client has closed that stream,
// responses and notifications for it are lost; requests go to the listening stream instead.
std::size_t http_server_channel::send(const outgoing_message& message) {
  if (ended_) return 0;
  // The senders of responses and requests have checked for room. Notifications may be dropped.
  const bool can_be_missed = !message.is_response && !message.request;
  if (can_be_missed && stream_for(message) != nullptr && !has_room(message.line.size())) return queued();
  server_response* reply = message.related_request.empty() ? nullptr : response_for(message.related_request);
  if (reply != nullptr) {
    reply->add(message);
    if (message.request) {
      reply->note_sent_request(*message.request);
      sent_requests_.emplace(*message.request, reply);
    }
    if (message.is_response && !reply->expected().contains(message.related_request))
      awaited_.erase(std::string{message.related_request});
  } else if (message.related_request.empty() || message.request) {
    send_unrelated(message);
  }
  return queued();
}

void http_server_channel::send_unrelated(const outgoing_message& message) {
  if (listening_stream_ != nullptr) {
    listening_stream_->add(message);
    return;
  }
  unsent_.emplace_back(message.line);
  unsent_bytes_ += message.line.size();
  while (unsent_.size() > max_unsent_messages || unsent_bytes_ > max_unsent_bytes) {
    unsent_bytes_ -= unsent_.front().size();
    unsent_.pop_front();
  }
}

void http_server_channel::listen(server_response& reply) {
  if (listening_stream_ != nullptr)
    listening_stream_->end();  // what it has not sent yet is counted until it is destroyed
  listening_stream_ = &reply;
  reply.count_in(&backlog_);
  if (ended_) reply.end();
  for (const std::string& line : std::exchange(unsent_, {})) reply.add({.line = line});
  unsent_bytes_ = 0;
}

void http_server_channel::unlisten(server_response& reply) noexcept {
  if (listening_stream_ == &reply) listening_stream_ = nullptr;
  reply.count_in(nullptr);
}

void http_server_channel::detach(server_response& reply) noexcept {
  std::erase(responses_, &reply);
  for (const std::string& id : reply.expected()) {
    if (const auto found = awaited_.find(id); found != awaited_.end() && found->second == &reply) awaited_.erase(found);
  }
  for (const std::int64_t request : reply.sent_requests()) sent_requests_.erase(request);
  reply.drop();
  reply.count_in(nullptr);
}

task<result<void>> http_server_channel::drained() {
  while (queued() > 0 && !ended_) {
    backlog_.decreased().reset();
    auto moved = co_await backlog_.decreased().wait();
    if (!moved) co_return moved;
  }
  co_return result<void>{};
}

bool http_server_channel::congested() const noexcept {
  return backlog_.congested() || (backlog_.parent() != nullptr && backlog_.parent()->congested());
}

task<result<void>> http_server_channel::until_uncrowded(send_backlog& level) {
  while (level.congested() && !ended_) {
    level.decreased().reset();
    auto moved = co_await level.decreased().wait();
    if (!moved) co_return moved;
  }
  if (ended_) co_return error{.code = errc::closed, .what = "the session has ended"};
  co_return result<void>{};
}

task<result<void>> http_server_channel::until_uncongested() {
  const context where = co_await this_context();
  const time_point patient_until = where.loop->now() + limits_.backlog_timeout;
  auto own = co_await until_uncrowded(backlog_);
  if (!own || backlog_.parent() == nullptr) co_return own;
  // If waits of several requests of a client end at the same time, the requests start one after the other, so that
  // other clients are served in between.
  send_backlog& of_client = *backlog_.parent();
  auto turn = co_await of_client.turns().acquire();
  if (!turn) co_return turn.error();
  auto polled = co_await sleep_for(duration::zero());
  if (!polled) co_return polled;
  const duration left = std::max(duration::zero(), patient_until - where.loop->now());
  auto others = co_await with_timeout(left, until_uncrowded(of_client));
  if (!others && others.error().code != errc::timed_out) co_return others;
  co_return result<void>{};
}

void http_server_channel::cancel(std::int64_t request, std::string_view reason) noexcept {
  if (ended_) return;
  const std::string line = cancelled_line(request, reason);
  if (const auto asked = sent_requests_.find(request); asked != sent_requests_.end()) {
    asked->second->add({.line = line});
  } else {
    send_unrelated({.line = line});
  }
}

void http_server_channel::end(error why) noexcept {
  if (ended_) return;
  ended_ = true;
  for (server_response* one : responses_) one->end();
  if (listening_stream_ != nullptr) listening_stream_->end();
  unsent_.clear();
  opened_.set();
  backlog_.decreased().set();
  if (to_ != nullptr) to_->on_closed(std::move(why));
}

task<result<void>> http_server_channel::close() {
  end(error{.code = errc::closed, .what = "closed on this side"});
  co_return result<void>{};
}

}  // namespace hawser
