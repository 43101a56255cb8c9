// SPDX-License-Identifier: MIT
// MCP over this process's own stdin and stdout, or two other descriptors of it: one message per line. The counterpart
// of stdio_channel for a program that is itself the server; it starts no process and owns none.
#pragma once

#include <memory>
#include <optional>

#include "../../runtime/async/event.hpp"
#include "../../runtime/async/scope.hpp"
#include "../jsonrpc/channel.hpp"
#include "../jsonrpc/message_reader.hpp"
#include "descriptor_stream.hpp"

namespace hawser {

struct stdio_server_options {
  int input = 0;  ///< both stay open and belong to the caller
  int output = 1;
  wire_limits limits{};
  /// How long close() waits for a slow reader to take what was sent.
  duration flush_timeout = std::chrono::seconds{2};
};

class stdio_server_channel final : public channel, private byte_listener, private write_listener, private byte_source {
 public:
  explicit stdio_server_channel(stdio_server_options options = {}) noexcept;
  ~stdio_server_channel() override;

  task<result<void>> open(receiver& to) override;
  /// The end of the input is reported as the end of the channel, but later messages are still written: a client that
  /// has written all its requests into a pipe may still read the responses.
  std::size_t send(const outgoing_message& message) override;
  [[nodiscard]] std::size_t queued() const noexcept override;
  task<result<void>> drained() override;
  void cancel(std::int64_t request, std::string_view reason) noexcept override;
  void negotiated(const peer_info& info) override;
  task<result<void>> close() override;

  [[nodiscard]] const message_reader& reader() const noexcept { return reader_; }

 private:
  void on_bytes() noexcept override;
  void on_end(const error& why) noexcept override;
  void on_write_failed(const error& why) noexcept override;
  [[nodiscard]] std::string_view unread() const noexcept override { return input_->get().unread(); }
  void consume(std::size_t count) noexcept override { input_->get().consume(count); }
  byte_buffer take(std::size_t count) override { return input_->get().take(count); }

  void report_closed(error why) noexcept;

  stdio_server_options options_;
  message_reader reader_;
  receiver* to_ = nullptr;
  std::unique_ptr<scope> reading_;  // copies from and to descriptors that cannot be polled
  std::unique_ptr<scope> writing_;
  std::optional<descriptor_stream> input_;
  std::optional<descriptor_stream> output_;
  bool closed_reported_ = false;  // on_closed() was called
  bool closing_ = false;
  event closed_;
};

}  // namespace hawser
