// SPDX-License-Identifier: MIT
// Plays the server's side of a record made by recording_channel: as soon as the host has sent what it sent then, the
// server's messages that followed come back, under the ids of today.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "channel.hpp"
#include "memory_channel.hpp"

namespace hawser {

class replay_channel final : public channel {
 public:
  /// An error names the line that is no record.
  static result<std::unique_ptr<replay_channel>> load(loop& home, std::string_view record);

  task<result<void>> open(receiver& to) override;
  /// Must be of the kind and the method that the record has next; else the channel closes and says what it expected.
  std::size_t send(const outgoing& message) override;
  [[nodiscard]] std::size_t queued() const noexcept override { return 0; }
  task<result<void>> drained() override;
  void cancel(std::int64_t request, std::string_view reason) noexcept override;
  void negotiated(const peer_info& info) override { host_->negotiated(info); }
  task<result<void>> close() override;

  /// How many entries of the record have not been played.
  [[nodiscard]] std::size_t left() const noexcept { return entries_.size() - next_; }

 private:
  enum class kind : std::uint8_t { host_message, server_message, server_text, closed };
  struct entry {
    kind what;
    std::string text;
    std::size_t line;  // in the record
  };
  explicit replay_channel(loop& home) : loop_(home) {}
  void play();
  void complain(const entry& expected, const message_view& got);
  [[nodiscard]] std::string with_ids_of_today(const std::string& message);

  loop& loop_;
  std::vector<entry> entries_;
  std::size_t next_ = 0;
  std::map<std::string, std::string, std::less<>> ids_;  // then -> today, as JSON
  scanner scanner_;
  // What is played goes through a memory channel, for its order and its turns of the loop.
  std::unique_ptr<memory_channel> server_;
  std::unique_ptr<memory_channel> host_;
};

}  // namespace hawser
