// SPDX-License-Identifier: MIT
// The login of one server: supplies credentials for its requests and refreshes them, at most once among all threads and
// processes that share the login. It never starts an interactive login itself; it only reports that one is needed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../runtime/async/event.hpp"
#include "../runtime/async/scope.hpp"
#include "../runtime/io/dns.hpp"
#include "../runtime/scoped_redaction.hpp"
#include "../transports/http/challenge.hpp"
#include "../transports/http/client/http_client.hpp"
#include "../transports/streamable_http/authorizer.hpp"
#include "code_flow.hpp"
#include "oauth_settings.hpp"
#include "store/credential_store.hpp"
#include "token_endpoint.hpp"

namespace hawser {

/// Shared by all logins; outlives them.
struct login_context {
  loop& home;
  credential_store& store;
  resolver& names;
  bool opens_browser = true;
  unix_clock now = unix_now;
};

struct server_login_options {
  std::string name{};  ///< the server's name, for messages
  std::string url{};   ///< as configured
  oauth_settings settings{};
  /// Options for connections to authorization servers: certificates and proxies.
  std::function<task<result<http_client_options>>()> connection{};
  /// Options for connections to the server's own origin, for its metadata; empty = as above.
  std::function<task<result<http_client_options>>()> server_connection{};
  std::function<void()> on_login_needed{};  ///< called when an interactive login is needed
};

/// Options of an interactive login.
struct login_options {
  /// Whether a login may be kept in memory only, if the store cannot save it.
  enum class persistence : std::uint8_t { if_possible, required };
  std::string scope{};  ///< in addition to what the server requires
  bool again = false;   ///< log in even if there is a working login
  duration timeout = std::chrono::minutes{5};
  persistence persist = persistence::if_possible;
};

/// A login without its secrets.
struct login_summary {
  std::string server{};  ///< its URL, without the query
  std::string issuer{};
  std::string resource{};  ///< without the query
  std::string client{};
  std::string scope{};
  std::int64_t expires_at = 0;  ///< of the access token; 0 = unknown
  bool renewable = false;       ///< it can be refreshed without user interaction
  bool stored = true;           ///< saved in the store; otherwise it ends with this process
};
login_summary summarize(std::string_view server_url, const login& of);

struct logout_report {
  std::size_t removed = 0;              ///< logins
  std::size_t revoked = 0;              ///< tokens that the authorization server has revoked
  std::vector<std::string> failures{};  ///< why other tokens were not revoked
};

class server_login final : public authorizer {
 public:
  server_login(const login_context& around, server_login_options of);
  server_login(const server_login&) = delete;
  server_login& operator=(const server_login&) = delete;
  ~server_login() override;

  [[nodiscard]] std::optional<credentials> cached() override;
  task<result<credentials>> acquire() override;
  task<result<credentials>> on_challenge(auth_challenge why) override;

  /// Whether a request was refused for a missing login or a missing scope, and nothing has changed since.
  [[nodiscard]] bool needs_login() const noexcept { return !login_needed_reason_.empty(); }
  /// Whether the login is missing: the server accepts no request before a new login.
  [[nodiscard]] bool is_login_missing() const noexcept { return needs_login() && !needs_step_up_; }
  [[nodiscard]] const std::string& reason() const noexcept { return login_needed_reason_; }
  [[nodiscard]] std::optional<login_summary> summary() const;
  /// Whether there is a login that can be refreshed without user interaction.
  [[nodiscard]] bool has_renewable_login() const { return login_ && can_refresh(); }
  /// Reads the store again. Returns whether it has another login than the one known here; that one is used from then
  /// on.
  task<result<bool>> reload();
  /// Interactive login, one at a time. T-27: at most three step-ups an hour.
  task<result<login_summary>> authenticate(login_options wish, login_ui& person);
  /// Removes the tokens, and revokes them if the authorization server supports it.
  task<result<logout_report>> log_out();
  /// Waits a short while for a refresh in progress. No member may be called afterwards.
  task<void> close();

 private:
  // server_login.cpp
  task<result<void>> load();
  /// `obtained`: issued by the authorization server just now; otherwise read from the store.
  void set_login(login what, bool obtained = false);
  [[nodiscard]] credentials current_credentials() const;
  [[nodiscard]] bool expires_soon() const;
  [[nodiscard]] bool can_refresh() const;
  task<result<credentials>> on_insufficient_scope(std::string operation, const challenge* bearer);
  [[nodiscard]] error require_login(std::string what);
  void remember_challenge(const challenge* bearer);
  [[nodiscard]] bool is_usable(const login& kept) const;

  // interactive_login.cpp
  task<result<bool>> uses_cleartext();
  task<result<std::unique_ptr<oauth_http>>> open_http();
  task<result<credential_store::refresh_lock>> lock_login(login_key to);
  task<result<void>> check_persistence();
  task<result<login_summary>> run_interactive_login(oauth_http& asks, login_options wish, login_ui& person);

  // token_refresh.cpp
  task<result<void>> await_refresh(std::uint64_t stale);
  static task<void> run_refresh(server_login& self);
  task<result<void>> refresh_stored_login();
  task<result<void>> refresh_with_lock(oauth_http& asks, login before);
  task<result<void>> on_refresh_error(login before, token_response outcome);
  task<result<void>> client_credentials_login();
  task<result<void>> run_client_credentials_login(oauth_http& asks);
  task<result<std::shared_ptr<const signing_key>>> load_signing_key();

  const login_context& context_;
  server_login_options options_;
  http_url server_url_;
  std::unique_ptr<scope> refresh_scope_;  // created by the first refresh
  bool closed_ = false;
  bool loaded_ = false;
  std::optional<login> login_;
  scoped_redaction redaction_;     // redacts the secrets of the last known login
  secret rejected_refresh_token_;  // a refused refresh token; not taken from the store again
  std::uint64_t serial_ = 0;
  credentials credentials_;   // header field for login_
  time_point fresh_until_{};  // obtained here a moment ago
  bool refreshing_ = false;
  time_point refresh_started_{};
  event refresh_done_;
  std::optional<error> refresh_error_;
  time_point retry_not_before_{};  // earliest time of the next attempt after a failed refresh
  int failures_ = 0;
  bool login_in_progress_ = false;  // an interactive login is in progress
  std::string login_needed_reason_;
  std::string resource_metadata_url_;
  std::optional<std::string> challenged_scope_;
  bool needs_step_up_ = false;  // a step-up is required
  std::vector<time_point> step_ups_;
};

}  // namespace hawser
