// SPDX-License-Identifier: MIT
#include "http_session_table.hpp"

#include <algorithm>
#include <utility>

namespace hawser {

bool http_session_table::make_room(const text_digest& client) {
  const auto own_sessions = static_cast<std::size_t>(std::count_if(
      sessions_.begin(), sessions_.end(), [&](const auto& entry) { return entry.second->client() == client; }));
  const bool own_room = own_sessions < limits_.max_sessions_per_client;
  if (own_room && sessions_.size() < limits_.max_sessions) return true;
  const time_point idle_since = loop_.now() - limits_.min_idle_for_eviction;
  const auto order = [](const http_session& session) { return std::pair{session.reached(), session.last_used()}; };
  auto least = sessions_.end();
  for (auto entry = sessions_.begin(); entry != sessions_.end(); ++entry) {
    const http_session& session = *entry->second;
    const bool unneeded = session.reached() != http_session::activity::used || session.last_used() <= idle_since;
    const bool same_client = session.client() == client;
    if (session.in_use() || (own_room ? !unneeded : !same_client)) continue;
    if (least == sessions_.end() || order(session) < order(*least->second)) least = entry;
  }
  if (least == sessions_.end()) return false;
  least->second->channel().end(error{.code = errc::closed, .what = "another session needed the room"});
  sessions_.erase(least);
  return true;
}

void http_session_table::add(session_ref session) {
  std::string id = session->id();
  sessions_.emplace(std::move(id), std::move(session));
}

http_session_table::session_ref http_session_table::find(std::string_view id) const {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second;
}

}  // namespace hawser
