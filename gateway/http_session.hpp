// SPDX-License-Identifier: MIT
// A session of the era with a handshake, over HTTP: a serving_session that lives from one request to the next, under a
// name that only its client knows, and ends when it was not used for long.
#pragma once

#include <string>

#include "exchange_channel.hpp"
#include "serving_session.hpp"

namespace hawser {

class http_session {
 public:
  http_session(loop& home, service& what, const serving_options& serving);

  [[nodiscard]] const std::string& id() const noexcept { return id_; }
  [[nodiscard]] exchange_channel& channel() noexcept { return channel_; }

  /// Serves until it is ended, by the client or by a stop, or nobody has used it for `patience`. Unbounded.
  task<void> run(duration patience);
  [[nodiscard]] bool in_use() const noexcept { return users_ > 0; }
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
  exchange_channel channel_;
  serving_session serving_;
  std::size_t users_ = 0;
  time_point last_used_;
  event touched_;
};

}  // namespace hawser
