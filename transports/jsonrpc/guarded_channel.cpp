// SPDX-License-Identifier: MIT
#include "guarded_channel.hpp"

#include <utility>

#include "../../runtime/guarded.hpp"

namespace hawser {

guarded_channel::guarded_channel(loop& home, std::unique_ptr<channel> inner)
    : loop_(home), inner_(std::move(inner)), self_(std::make_shared<guarded_channel*>(this)) {}

guarded_channel::~guarded_channel() { *self_ = nullptr; }

task<result<void>> guarded_channel::open(receiver& to) {
  to_ = &to;
  auto opening = guarded_task("open of a channel", [this] { return inner_->open(*this); });
  co_return co_await std::move(opening);
}

std::size_t guarded_channel::send(const outgoing_message& message) {
  auto sent = guarded("send of a channel", [&] { return inner_->send(message); });
  if (sent) return *sent;
  fail(sent.error());
  return 0;
}

task<result<void>> guarded_channel::drained() {
  auto waiting = guarded_task("drained of a channel", [this] { return inner_->drained(); });
  co_return co_await std::move(waiting);
}

task<result<void>> guarded_channel::until_uncongested() {
  auto waiting = guarded_task("until_uncongested of a channel", [this] { return inner_->until_uncongested(); });
  co_return co_await std::move(waiting);
}

void guarded_channel::negotiated(const peer_info& info) {
  auto told = guarded("negotiated of a channel", [&] { inner_->negotiated(info); });
  if (!told) fail(told.error());
}

task<result<void>> guarded_channel::close() {
  auto closing = guarded_task("close of a channel", [this] { return inner_->close(); });
  co_return co_await std::move(closing);
}

void guarded_channel::fail(error why) {
  loop_.post([self = self_, why = std::move(why)]() mutable {
    if (*self != nullptr) (*self)->on_closed(std::move(why));
  });
}

void guarded_channel::on_message(const message_view& message) noexcept {
  if (to_ != nullptr) to_->on_message(message);
}

void guarded_channel::on_request_failed(std::int64_t request, error why) noexcept {
  if (to_ != nullptr) to_->on_request_failed(request, std::move(why));
}

void guarded_channel::on_reset(error why) noexcept {
  if (to_ != nullptr) to_->on_reset(std::move(why));
}

void guarded_channel::on_closed(error why) noexcept {
  if (receiver* last = std::exchange(to_, nullptr)) last->on_closed(std::move(why));
}

}  // namespace hawser
