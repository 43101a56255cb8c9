// SPDX-License-Identifier: MIT
// A channel that records the messages of another channel in both directions, one JSON object per line:
//   {"at_us":1204,"from":"host","message":{…}}      or "server"; "text" instead of "message" for invalid ones,
//   {"at_us":9120,"from":"server","closed":"why"}
// replay_channel replays such a recording.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "../../runtime/loop/loop.hpp"
#include "../jsonrpc/channel.hpp"

namespace hawser {

class recording_channel final : public channel, private receiver {
 public:
  /// `write` receives each line with its line feed, on the loop thread; it must not block.
  recording_channel(loop& home, std::unique_ptr<channel> inner, std::function<void(std::string_view)> write);

  task<result<void>> open(receiver& to) override;
  std::size_t send(const outgoing_message& message) override;
  [[nodiscard]] std::size_t queued() const noexcept override { return inner_->queued(); }
  task<result<void>> drained() override { return inner_->drained(); }
  [[nodiscard]] std::size_t queued_before(const outgoing_message& message) const noexcept override {
    return inner_->queued_before(message);
  }
  [[nodiscard]] bool has_room(std::size_t bytes) const noexcept override { return inner_->has_room(bytes); }
  [[nodiscard]] bool congested() const noexcept override { return inner_->congested(); }
  task<result<void>> until_uncongested() override { return inner_->until_uncongested(); }
  bool withdraw(std::int64_t request) noexcept override { return inner_->withdraw(request); }
  /// Recorded as notifications/cancelled, whatever the inner transport sends.
  void cancel(std::int64_t request, std::string_view reason) noexcept override;
  void release(std::int64_t request) noexcept override { inner_->release(request); }
  void negotiated(const peer_info& info) override { inner_->negotiated(info); }
  [[nodiscard]] bool is_http() const noexcept override { return inner_->is_http(); }
  void trim() noexcept override { inner_->trim(); }
  task<result<void>> close() override { return inner_->close(); }

 private:
  void on_message(const message_view& message) noexcept override;
  void on_request_failed(std::int64_t request, error why) noexcept override;
  void on_reset(error why) noexcept override;
  void on_closed(error why) noexcept override;
  void record(std::string_view from, std::string_view key, std::string_view json);

  loop& loop_;
  std::unique_ptr<channel> inner_;
  std::function<void(std::string_view)> write_;
  receiver* to_ = nullptr;
  time_point begin_;
};

}  // namespace hawser
