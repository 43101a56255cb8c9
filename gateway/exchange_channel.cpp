// SPDX-License-Identifier: MIT
#include "exchange_channel.hpp"

#include <algorithm>

#include "../runtime/detail/check.hpp"
#include "../runtime/sleep.hpp"
#include "../runtime/timeout.hpp"
#include "../transports/json_text.hpp"
#include "../transports/outgoing_lines.hpp"
#include "../transports/protocol.hpp"

namespace hawser {

namespace {

// Messages queued for a client that has no listening stream. It may open one soon, open one again, or never open one.
constexpr std::size_t most_unsaid = 64;
constexpr std::size_t most_unsaid_bytes = std::size_t{256} << 10;
// This much of every session is never counted against the client's limit, so that clients that do not read cannot
// block small responses to others.
constexpr std::size_t free_unread = std::size_t{64} << 10;

}  // namespace

exchange_channel::exchange_channel(exchange_limits limits, std::shared_ptr<unread_bytes> of_client)
    : limits_(limits), unread_(limits.max_unread, std::move(of_client), free_unread) {}

exchange_channel::~exchange_channel() {
  detail::require(to_ == nullptr || told_, "a channel died before it was closed");
}

task<result<void>> exchange_channel::open(receiver& to) {
  if (told_) co_return error{.code = errc::closed, .what = "the session had ended before it began"};
  to_ = &to;
  opened_.set();
  co_return result<void>{};
}

task<result<void>> exchange_channel::opened() {
  auto ready = co_await opened_.wait();
  if (!ready) co_return ready;
  if (told_) co_return error{.code = errc::closed, .what = "the session has ended"};
  co_return result<void>{};
}

void exchange_channel::deliver(std::string_view message) {
  if (told_ || to_ == nullptr) return;
  const message_view opened = scanner_.scan(message);
  to_->on_message(opened);
  if (opened.kind != message_kind::notification || opened.method != protocol::notification::cancelled) return;
  // Cancellation: there will be no response, so the HTTP response must not wait for it. Other requests of the same
  // batch continue.
  if (const auto id = request_id::from_json(find_member(opened.params, "requestId"))) {
    const auto found = awaited_.find(id->json());
    if (found == awaited_.end()) return;
    found->second->expect_no_more(found->first);
    awaited_.erase(found);
  }
}

http_reply* exchange_channel::reply_for(std::string_view id) const noexcept {
  const auto found = awaited_.find(id);
  return found == awaited_.end() ? nullptr : found->second;
}

void exchange_channel::attach(http_reply& reply) {
  replies_.push_back(&reply);
  for (const std::string& id : reply.expected()) awaited_.emplace(id, &reply);
  reply.count_in(&unread_);
}

// Returns null if no stream can take the message now.
http_reply* exchange_channel::way_of(const outgoing& message) const noexcept {
  http_reply* reply = message.about.empty() ? nullptr : reply_for(message.about);
  if (reply != nullptr) return reply;
  return message.about.empty() || message.request ? listening_ : nullptr;
}

std::size_t exchange_channel::queued_before(const outgoing& message) const noexcept {
  const http_reply* way = way_of(message);
  return way != nullptr ? way->queued() : 0;
}

// Each message goes to exactly one stream: that of the request it belongs to. If the client has closed that stream,
// responses and notifications for it are lost; requests go to the listening stream instead.
std::size_t exchange_channel::send(const outgoing& message) {
  if (told_) return 0;
  // The senders of responses and requests have checked for room. Notifications may be dropped.
  const bool can_be_missed = !message.answers && !message.request;
  if (can_be_missed && way_of(message) != nullptr && !has_room(message.line.size())) return queued();
  http_reply* reply = message.about.empty() ? nullptr : reply_for(message.about);
  if (reply != nullptr) {
    reply->add(message);
    if (message.request) {
      reply->note_asked(*message.request);
      asked_.emplace(*message.request, reply);
    }
    if (message.answers && !reply->expected().contains(message.about)) awaited_.erase(std::string{message.about});
  } else if (message.about.empty() || message.request) {
    say_unasked(message);
  }
  return queued();
}

void exchange_channel::say_unasked(const outgoing& message) {
  if (listening_ != nullptr) {
    listening_->add(message);
    return;
  }
  unsaid_.emplace_back(message.line);
  unsaid_bytes_ += message.line.size();
  while (unsaid_.size() > most_unsaid || unsaid_bytes_ > most_unsaid_bytes) {
    unsaid_bytes_ -= unsaid_.front().size();
    unsaid_.pop_front();
  }
}

void exchange_channel::listen(http_reply& reply) {
  if (listening_ != nullptr) listening_->end();  // what it has not sent yet is counted until it is destroyed
  listening_ = &reply;
  reply.count_in(&unread_);
  if (told_) reply.end();
  for (const std::string& line : std::exchange(unsaid_, {})) reply.add({.line = line});
  unsaid_bytes_ = 0;
}

void exchange_channel::unlisten(http_reply& reply) noexcept {
  if (listening_ == &reply) listening_ = nullptr;
  reply.count_in(nullptr);
}

void exchange_channel::detach(http_reply& reply) noexcept {
  std::erase(replies_, &reply);
  for (const std::string& id : reply.expected()) {
    if (const auto found = awaited_.find(id); found != awaited_.end() && found->second == &reply) awaited_.erase(found);
  }
  for (const std::int64_t request : reply.asked()) asked_.erase(request);
  reply.drop();
  reply.count_in(nullptr);
}

task<result<void>> exchange_channel::drained() {
  while (queued() > 0 && !told_) {
    unread_.moved().reset();
    auto moved = co_await unread_.moved().wait();
    if (!moved) co_return moved;
  }
  co_return result<void>{};
}

bool exchange_channel::crowded() const noexcept {
  return unread_.crowded() || (unread_.above() != nullptr && unread_.above()->crowded());
}

task<result<void>> exchange_channel::until_uncrowded(unread_bytes& level) {
  while (level.crowded() && !told_) {
    level.moved().reset();
    auto moved = co_await level.moved().wait();
    if (!moved) co_return moved;
  }
  if (told_) co_return error{.code = errc::closed, .what = "the session has ended"};
  co_return result<void>{};
}

task<result<void>> exchange_channel::uncrowded() {
  const context where = co_await this_context();
  const time_point patient_until = where.loop->now() + limits_.unread_patience;
  auto own = co_await until_uncrowded(unread_);
  if (!own || unread_.above() == nullptr) co_return own;
  // If waits of several requests of a client end at the same time, the requests start one after the other, so that
  // other clients are served in between.
  unread_bytes& of_client = *unread_.above();
  auto turn = co_await of_client.turns().acquire();
  if (!turn) co_return turn.error();
  auto polled = co_await sleep_for(duration::zero());
  if (!polled) co_return polled;
  const duration left = std::max(duration::zero(), patient_until - where.loop->now());
  auto others = co_await with_timeout(left, until_uncrowded(of_client));
  if (!others && others.error().code != errc::timed_out) co_return others;
  co_return result<void>{};
}

void exchange_channel::cancel(std::int64_t request, std::string_view reason) noexcept {
  if (told_) return;
  const std::string line = cancelled_line(request, reason);
  if (const auto asked = asked_.find(request); asked != asked_.end()) {
    asked->second->add({.line = line});
  } else {
    say_unasked({.line = line});
  }
}

void exchange_channel::end(error why) noexcept {
  if (told_) return;
  told_ = true;
  for (http_reply* one : replies_) one->end();
  if (listening_ != nullptr) listening_->end();
  unsaid_.clear();
  opened_.set();
  unread_.moved().set();
  if (to_ != nullptr) to_->on_closed(std::move(why));
}

task<result<void>> exchange_channel::close() {
  end(error{.code = errc::closed, .what = "closed on this side"});
  co_return result<void>{};
}

}  // namespace hawser
