// SPDX-License-Identifier: MIT
// A legacy session over HTTP: a server_session that lives across requests, identified by a random id known only to
// its client, and ended after a period without use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "../server_session.hpp"
#include "http_clients.hpp"
#include "http_server_channel.hpp"

namespace hawser {

class http_session {
 public:
  /// `client`: the client that began it, identified by its clientInfo.
  http_session(loop& home, service& what, const server_session_options& serving,
               const http_server_channel_limits& limits, http_clients::client_ref client);

  [[nodiscard]] const std::string& id() const noexcept { return id_; }
  [[nodiscard]] http_server_channel& channel() noexcept { return channel_; }

  /// Serves until the client or a stop ends it, or until it was unused for `patience`. Unbounded.
  task<void> run(duration patience);
  [[nodiscard]] bool in_use() const noexcept { return users_ > 0; }
  [[nodiscard]] const text_digest& client() const noexcept { return client_->name(); }

  /// How far the client has used the session. The least used sessions are evicted first.
  enum class activity : std::uint8_t { begun, notified, used };
  [[nodiscard]] activity reached() const noexcept { return activity_; }
  /// Records that a message came after `initialize`.
  void reach(activity what) noexcept { activity_ = std::max(activity_, what); }
  [[nodiscard]] time_point last_used() const noexcept { return last_used_; }

  /// Marks the session as in use while a request of the client is being answered.
  class use {
   public:
    explicit use(http_session& of) noexcept;
    use(const use&) = delete;
    use& operator=(const use&) = delete;
    ~use();

   private:
    http_session& of_;
  };

 private:
  void touch() noexcept;
  task<result<void>> unused(duration patience);

  loop& loop_;
  std::string id_;
  http_clients::client_ref client_;
  activity activity_ = activity::begun;
  http_server_channel channel_;
  server_session session_;
  std::size_t users_ = 0;
  time_point last_used_;
  event touched_;
};

}  // namespace hawser
