// SPDX-License-Identifier: MIT
// The legacy sessions of a streamable_http_handler, by session id, and which of them a new one may replace.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "http_session.hpp"

namespace hawser {

class http_session_table {
 public:
  /// As in streamable_http_options.
  struct limits {
    std::size_t max_sessions = 0;
    std::size_t max_sessions_per_client = 0;
    duration min_idle_for_eviction{};
  };
  using session_ref = std::shared_ptr<http_session>;

  /// The loop must outlive it.
  http_session_table(loop& event_loop, const limits& allowed) noexcept : loop_(event_loop), limits_(allowed) {}
  http_session_table(const http_session_table&) = delete;
  http_session_table& operator=(const http_session_table&) = delete;

  /// Whether there is room for another session of this client, after ending at most one session that it may replace:
  /// the least used one, and among equals the one that was idle for longest. A new session may replace any session of
  /// the same client that is not in use; of other clients, only unused or idle ones.
  [[nodiscard]] bool make_room(const text_digest& client);
  void add(session_ref session);
  /// Null if there is none.
  [[nodiscard]] session_ref find(std::string_view id) const;
  void remove(const std::string& id) { sessions_.erase(id); }
  [[nodiscard]] std::size_t size() const noexcept { return sessions_.size(); }

 private:
  loop& loop_;
  limits limits_;
  std::map<std::string, session_ref, std::less<>> sessions_;
};

}  // namespace hawser
