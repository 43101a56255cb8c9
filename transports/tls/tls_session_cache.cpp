// SPDX-License-Identifier: MIT
#include "detail/tls_session_cache.hpp"

#include <algorithm>
#include <iterator>

namespace hawser::detail {

namespace {

// A few hosts, and a few connections to each: a session holds the server's certificates and so takes some kilobytes.
constexpr std::size_t max_sessions = 64;
constexpr std::size_t max_sessions_per_key = 4;

}  // namespace

void tls_session_cache::put(std::string_view session_key, ssl_session_ptr session) {
  const auto has_key = [session_key](const entry& e) { return e.session_key == session_key; };
  if (std::count_if(entries_.begin(), entries_.end(), has_key) >= static_cast<std::ptrdiff_t>(max_sessions_per_key)) {
    entries_.erase(std::find_if(entries_.begin(), entries_.end(), has_key));
  } else if (entries_.size() >= max_sessions) {
    entries_.pop_front();
  }
  entries_.push_back({std::string{session_key}, std::move(session)});
}

ssl_session_ptr tls_session_cache::take(std::string_view session_key) {
  // OpenSSL invalidates a session whose connection has failed.
  std::erase_if(entries_, [](const entry& e) { return SSL_SESSION_is_resumable(e.session.get()) == 0; });
  const auto newest = std::find_if(entries_.rbegin(), entries_.rend(),
                                   [session_key](const entry& e) { return e.session_key == session_key; });
  if (newest == entries_.rend()) return nullptr;
  ssl_session_ptr session = std::move(newest->session);
  entries_.erase(std::next(newest).base());
  return session;
}

}  // namespace hawser::detail
