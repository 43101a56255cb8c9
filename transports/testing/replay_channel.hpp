// SPDX-License-Identifier: MIT
// Replays the server's side of a recording made by recording_channel: when the host has sent the next recorded message,
// the server's messages that followed it are delivered, with the ids of the current run.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../jsonrpc/channel.hpp"
#include "memory_channel.hpp"

namespace hawser {

class replay_channel final : public channel {
 public:
  /// An error names the line that is not a valid record.
  static result<std::unique_ptr<replay_channel>> load(loop& home, std::string_view record);

  task<result<void>> open(receiver& to) override;
  /// The message must have the kind and the method of the next recorded one; otherwise the channel closes with an error
  /// that says what was expected.
  std::size_t send(const outgoing_message& message) override;
  [[nodiscard]] std::size_t queued() const noexcept override { return 0; }
  task<result<void>> drained() override;
  void cancel(std::int64_t request, std::string_view reason) noexcept override;
  void negotiated(const peer_info& info) override { host_->negotiated(info); }
  task<result<void>> close() override;

  /// Number of entries that have not been replayed.
  [[nodiscard]] std::size_t remaining() const noexcept { return entries_.size() - next_; }

 private:
  enum class kind : std::uint8_t { host_message, server_message, server_text, closed };
  struct entry {
    kind what;
    std::string text;
    std::size_t line;  // line number in the recording
  };
  explicit replay_channel(loop& home) : loop_(home) {}
  void play();
  void report_mismatch(const entry& expected, const message_view& got);
  [[nodiscard]] std::string with_current_ids(const std::string& message);

  loop& loop_;
  std::vector<entry> entries_;
  std::size_t next_ = 0;
  std::map<std::string, std::string, std::less<>> ids_;  // recorded -> current, as JSON
  scanner scanner_;
  // Replayed messages pass through a memory channel, which keeps their order and delivers them in later loop
  // iterations.
  std::unique_ptr<memory_channel> server_;
  std::unique_ptr<memory_channel> host_;
};

}  // namespace hawser
