// SPDX-License-Identifier: MIT
#include "memory_channel.hpp"

#include <cstring>

#include "../../runtime/async/detail/wait_for.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../jsonrpc/outgoing_lines.hpp"
#include "../jsonrpc/protocol_table.hpp"

namespace hawser {

namespace {
void append(byte_buffer& to, std::string_view bytes) {
  const auto room = to.reserve(bytes.size());
  std::memcpy(room.at, bytes.data(), bytes.size());
  to.commit(bytes.size());
}
}  // namespace

memory_channel::pair memory_channel::make(loop& home, wire_limits limits) {
  pair both{new memory_channel{home, limits}, new memory_channel{home, limits}};
  both.first->other_ = both.second.get();
  both.second->other_ = both.first.get();
  return both;
}

memory_channel::~memory_channel() {
  detail::require(to_ == nullptr || closed_reported_, "a channel died before it was closed");
  end(error{.code = errc::closed, .what = "the other side is gone"});
}

void memory_channel::end(error why) noexcept {
  if (other_ == nullptr) return;
  other_->other_ = nullptr;
  other_->other_closed_ = std::move(why);
  other_->schedule();
  other_ = nullptr;
}

task<result<void>> memory_channel::open(receiver& to) {
  to_ = &to;
  schedule();
  co_return result<void>{};
}

void memory_channel::schedule() noexcept {
  if (to_ != nullptr && !closed_reported_ && !work::queued() && (!inbox_.empty() || other_closed_)) {
    idle_.reset();
    loop_.ready(*this);
  }
}

std::size_t memory_channel::send(const outgoing_message& message) {
  send_bytes(message.line);
  return queued();
}

void memory_channel::send_bytes(std::string_view bytes) {
  if (other_ == nullptr || other_->closed_reported_ || bytes.empty()) return;
  append(other_->inbox_, bytes);
  other_->processed_.reset();
  other_->schedule();
}

void memory_channel::run() noexcept {
  idle_.set();
  if (closed_reported_) return;
  if (reading_.empty()) {
    reading_.swap(inbox_);
  } else if (!inbox_.empty()) {
    append(reading_, inbox_.view());
    inbox_.consume(inbox_.size());
  }
  const bool last = other_closed_.has_value();
  auto understood = last ? reader_.finish(*this, *to_) : reader_.read(*this, *to_);
  if (!understood) {
    report_closed(understood.error());
  } else if (last) {
    report_closed(*other_closed_);
  } else {
    if (inbox_.empty()) processed_.set();
    schedule();
  }
}

std::size_t memory_channel::queued() const noexcept {
  return other_ != nullptr ? other_->inbox_.size() + other_->reading_.size() : 0;
}

task<result<void>> memory_channel::drained() {
  if (other_ == nullptr || queued() == 0) co_return result<void>{};
  co_return co_await other_->processed_.wait();
}

void memory_channel::cancel(std::int64_t request, std::string_view reason) noexcept {
  send({.line = cancelled_line(request, reason)});
}

void memory_channel::negotiated(const peer_info& info) {
  reader_.accept_batches(protocol::has(protocol::feature::batches, info.revision));
}

void memory_channel::report_closed(error why) noexcept {
  if (closed_reported_) return;
  closed_reported_ = true;
  reader_.stop();
  inbox_ = {};
  reading_ = {};
  processed_.set();
  why.executed = execution::unknown;
  if (to_ != nullptr) to_->on_closed(std::move(why));
}

task<result<void>> memory_channel::close() {
  report_closed(error{.code = errc::closed, .what = "closed on this side"});
  end(error{.code = errc::closed, .what = "the other side has closed"});
  // The ready queue refers to this object until the next loop iteration.
  if (work::queued()) co_return co_await shield(std::chrono::seconds{5}, detail::wait_for(idle_));
  co_return result<void>{};
}

}  // namespace hawser
