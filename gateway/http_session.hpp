// SPDX-License-Identifier: MIT
// A session of the era with a handshake, over HTTP: a serving_session that lives from one request to the next, under a
// name that only its client knows, and ends when it was not used for long.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "exchange_channel.hpp"
#include "http_clients.hpp"
#include "serving_session.hpp"

namespace hawser {

class http_session {
 public:
  /// `client`: who has begun it, as far as that is known.
  http_session(loop& home, service& what, const serving_options& serving, const exchange_limits& limits,
               http_clients::client_ref client);

  [[nodiscard]] const std::string& id() const noexcept { return id_; }
  [[nodiscard]] exchange_channel& channel() noexcept { return channel_; }

  /// Serves until it is ended, by the client or by a stop, or nobody has used it for `patience`. Unbounded.
  task<void> run(duration patience);
  [[nodiscard]] bool in_use() const noexcept { return users_ > 0; }
  [[nodiscard]] const text_digest& client() const noexcept { return client_->name(); }

  /// What the client has made of it so far: sessions that nobody needs are given up first.
  enum class standing : std::uint8_t { begun, notified, used };
  [[nodiscard]] standing how() const noexcept { return standing_; }
  /// Something has come after `initialize`.
  void came(standing what) noexcept { standing_ = std::max(standing_, what); }
  [[nodiscard]] time_point last_used() const noexcept { return last_used_; }

  /// For as long as a request of the client is being answered.
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
  standing standing_ = standing::begun;
  exchange_channel channel_;
  serving_session serving_;
  std::size_t users_ = 0;
  time_point last_used_;
  event touched_;
};

}  // namespace hawser
