// SPDX-License-Identifier: MIT
// Two channels connected to each other inside one loop: for a server in the same process, for tests, and for benchmarks
// that leave out the operating system.
#pragma once

#include <memory>
#include <optional>

#include <utility>

#include "../../runtime/async/event.hpp"
#include "../../runtime/io/byte_buffer.hpp"
#include "../jsonrpc/channel.hpp"
#include "../jsonrpc/message_reader.hpp"

namespace hawser {

class memory_channel final : public channel, private work, private byte_source {
 public:
  using pair = std::pair<std::unique_ptr<memory_channel>, std::unique_ptr<memory_channel>>;
  static pair make(loop& home, wire_limits limits = {});
  ~memory_channel() override;

  task<result<void>> open(receiver& to) override;
  std::size_t send(const outgoing_message& message) override;
  /// Sends any bytes, valid or not.
  void send_bytes(std::string_view bytes);
  /// Bytes that the other side has not processed yet.
  [[nodiscard]] std::size_t queued() const noexcept override;
  task<result<void>> drained() override;
  void cancel(std::int64_t request, std::string_view reason) noexcept override;
  void negotiated(const peer_info& info) override;
  /// The other side is notified after everything that was sent before.
  task<result<void>> close() override;
  /// Ends this direction; the other side gets this reason.
  void end(error why) noexcept;

  [[nodiscard]] const message_reader& reader() const noexcept { return reader_; }

 private:
  memory_channel(loop& home, wire_limits limits) : loop_(home), reader_(limits) {}

  void run() noexcept override;
  [[nodiscard]] std::string_view unread() const noexcept override { return reading_.view(); }
  void consume(std::size_t count) noexcept override { reading_.consume(count); }
  byte_buffer take(std::size_t count) override { return reading_.split(count); }
  void report_closed(error why) noexcept;
  void schedule() noexcept;

  loop& loop_;
  message_reader reader_;
  memory_channel* other_ = nullptr;
  receiver* to_ = nullptr;
  byte_buffer inbox_;    // what has arrived …
  byte_buffer reading_;  // … and what is being delivered, which must not move when more arrives during a delivery
  std::optional<error> other_closed_;
  bool closed_reported_ = false;
  event processed_;  // everything that was sent to this side has been processed
  event idle_;       // not in the ready queue
};

}  // namespace hawser
