// SPDX-License-Identifier: MIT
#include "exchange_channel.hpp"

#include <algorithm>

#include "../runtime/detail/check.hpp"
#include "../transports/json_text.hpp"
#include "../transports/outgoing_lines.hpp"
#include "../transports/protocol.hpp"

namespace hawser {

namespace {

// What is kept for a client that may open its stream soon, or again; it may as well never do so.
constexpr std::size_t most_unsaid = 64;
constexpr std::size_t most_unsaid_bytes = std::size_t{256} << 10;

}  // namespace

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
  // Cancellation: there will be no answer, so nobody should wait for it.
  if (const auto id = request_id::from_json(find_member(opened.params, "requestId"))) {
    if (http_reply* reply = reply_for(id->json())) reply->end();
  }
}

http_reply* exchange_channel::reply_for(std::string_view id) const noexcept {
  const auto found = awaited_.find(id);
  return found == awaited_.end() ? nullptr : found->second;
}

void exchange_channel::attach(http_reply& reply) {
  replies_.push_back(&reply);
  for (const std::string& id : reply.expected()) awaited_.emplace(id, &reply);
  reply.count_in(&unsent_);
}

// Each message goes on one stream: on that of the request it belongs to. Where the client has let go of it, what was to
// be answered or told there is lost; questions find another way.
std::size_t exchange_channel::send(const outgoing& message) {
  if (told_) return 0;
  http_reply* reply = message.about.empty() ? nullptr : reply_for(message.about);
  if (reply != nullptr) {
    reply->add(message);
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
  if (listening_ != nullptr) {
    listening_->end();
    listening_->count_in(nullptr);
  }
  listening_ = &reply;
  reply.count_in(&unsent_);
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
  reply.count_in(nullptr);  // what it had not sent is queued no longer
}

task<result<void>> exchange_channel::drained() {
  while (queued() > 0 && !told_) {
    unsent_.moved.reset();
    auto moved = co_await unsent_.moved.wait();
    if (!moved) co_return moved;
  }
  co_return result<void>{};
}

void exchange_channel::cancel(std::int64_t request, std::string_view reason) noexcept {
  if (told_) return;
  const std::string line = cancelled_line(request, reason);
  const auto asked =
      std::find_if(replies_.begin(), replies_.end(), [&](const http_reply* one) { return one->has_asked(request); });
  if (asked != replies_.end()) {
    (*asked)->add({.line = line});
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
  unsent_.moved.set();
  if (to_ != nullptr) to_->on_closed(std::move(why));
}

task<result<void>> exchange_channel::close() {
  end(error{.code = errc::closed, .what = "closed on this side"});
  co_return result<void>{};
}

}  // namespace hawser
