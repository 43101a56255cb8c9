// SPDX-License-Identifier: MIT
// The server's end of MCP over HTTP as a channel: what arrives was posted, and what is sent goes into the HTTP answer
// it belongs to. Whoever has the requests delivers and attaches; this only finds the way.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../transports/channel.hpp"
#include "../transports/scanner.hpp"
#include "http_reply.hpp"

namespace hawser {

struct exchange_limits {
  /// Bytes that the client has not read. Beyond it notifications are dropped, and answers refused by whoever makes
  /// them.
  std::size_t max_unread = max_unsent;
  /// So long an answer is not made because the client has left much unread in other sessions. What it has left unread
  /// in this one is waited for without a limit: who reads none of it is disconnected.
  duration unread_patience = std::chrono::seconds{2};
};

class exchange_channel final : public channel {
 public:
  /// `of_client`: where its bytes are counted, too.
  explicit exchange_channel(exchange_limits limits = {}, std::shared_ptr<unread_bytes> of_client = nullptr);
  ~exchange_channel() override;

  task<result<void>> open(receiver& to) override;
  std::size_t send(const outgoing& message) override;
  [[nodiscard]] std::size_t queued() const noexcept override { return unread_.bytes(); }
  task<result<void>> drained() override;
  /// On the same stream only: a client that does not read one of them misses nothing on the others.
  [[nodiscard]] std::size_t queued_before(const outgoing& message) const noexcept override;
  [[nodiscard]] bool has_room(std::size_t bytes) const noexcept override { return unread_.has_room(bytes); }
  [[nodiscard]] bool crowded() const noexcept override;
  task<result<void>> uncrowded() override;
  void cancel(std::int64_t request, std::string_view reason) noexcept override;
  void negotiated(const peer_info& info) override { revision_ = info.revision; }
  task<result<void>> close() override;

  /// Completes when messages can be delivered; an error where it was closed before.
  task<result<void>> opened();
  /// One message that was posted; valid JSON, as a scanner has seen it.
  void deliver(std::string_view message);
  /// What belongs to the requests that it expects goes there, until it is detached; what it has not sent then is
  /// dropped.
  void attach(http_reply& reply);
  void detach(http_reply& reply) noexcept;
  /// Whether the answer to this id is awaited by somebody.
  [[nodiscard]] bool awaits(std::string_view id) const noexcept { return reply_for(id) != nullptr; }
  /// Where what is said unasked goes, beginning with what was said before; one that listens already is ended.
  void listen(http_reply& reply);
  void unlisten(http_reply& reply) noexcept;
  /// The client has taken leave, or must go: everything ends.
  void end(error why) noexcept;
  [[nodiscard]] bool ended() const noexcept { return told_; }

  /// What `initialize` has agreed on; empty before.
  [[nodiscard]] const std::string& revision() const noexcept { return revision_; }

 private:
  [[nodiscard]] http_reply* reply_for(std::string_view id) const noexcept;
  [[nodiscard]] http_reply* way_of(const outgoing& message) const noexcept;
  void say_unasked(const outgoing& message);
  task<result<void>> until_uncrowded(unread_bytes& level);

  exchange_limits limits_;
  unread_bytes unread_;
  scanner scanner_;
  receiver* to_ = nullptr;
  bool told_ = false;
  event opened_;  // or told_
  std::string revision_;
  std::vector<http_reply*> replies_;
  std::map<std::string, http_reply*, std::less<>> awaited_;  // by the ids that they expect
  std::map<std::int64_t, http_reply*> asked_;                // by the requests of ours that were sent there
  http_reply* listening_ = nullptr;
  std::deque<std::string> unsaid_;
  std::size_t unsaid_bytes_ = 0;
};

}  // namespace hawser
