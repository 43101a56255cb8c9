// SPDX-License-Identifier: MIT
// Wraps a channel that the embedder implements: an exception from one of its methods ends the connection with an error
// that names the method, instead of terminating the process.
#pragma once

#include <memory>
#include <string_view>

#include "../../runtime/loop/loop.hpp"
#include "channel.hpp"

namespace hawser {

class guarded_channel final : public channel, private receiver {
 public:
  guarded_channel(loop& home, std::unique_ptr<channel> inner);
  ~guarded_channel() override;

  task<result<void>> open(receiver& to) override;
  std::size_t send(const outgoing_message& message) override;
  [[nodiscard]] std::size_t queued() const noexcept override { return inner_->queued(); }
  task<result<void>> drained() override;
  [[nodiscard]] std::size_t queued_before(const outgoing_message& message) const noexcept override {
    return inner_->queued_before(message);
  }
  [[nodiscard]] bool has_room(std::size_t bytes) const noexcept override { return inner_->has_room(bytes); }
  [[nodiscard]] bool congested() const noexcept override { return inner_->congested(); }
  task<result<void>> until_uncongested() override;
  bool withdraw(std::int64_t request) noexcept override { return inner_->withdraw(request); }
  void cancel(std::int64_t request, std::string_view reason) noexcept override { inner_->cancel(request, reason); }
  void release(std::int64_t request) noexcept override { inner_->release(request); }
  void negotiated(const peer_info& info) override;
  [[nodiscard]] bool is_http() const noexcept override { return inner_->is_http(); }
  void trim() noexcept override { inner_->trim(); }
  task<result<void>> close() override;

 private:
  void on_message(const message_view& message) noexcept override;
  void on_request_failed(std::int64_t request, error why) noexcept override;
  void on_reset(error why) noexcept override;
  void on_closed(error why) noexcept override;
  /// Posts on_closed() to the loop instead of calling it directly, because the receiver may be the caller.
  void fail(error why);

  loop& loop_;
  std::unique_ptr<channel> inner_;
  receiver* to_ = nullptr;                  // null before open() and after on_closed()
  std::shared_ptr<guarded_channel*> self_;  // captured by what fail() posts; points to null after destruction
};

}  // namespace hawser
