// SPDX-License-Identifier: MIT
// The login of one server: supplies credentials for its requests and refreshes them, at most once among all threads and
// processes that share the login. It never starts an interactive login itself; it only reports that one is needed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../runtime/dns.hpp"
#include "../runtime/event.hpp"
#include "../runtime/held_secrets.hpp"
#include "../runtime/scope.hpp"
#include "../transports/authorizer.hpp"
#include "../transports/challenge.hpp"
#include "../transports/http_client.hpp"
#include "flow.hpp"
#include "oauth_settings.hpp"
#include "token.hpp"
#include "token_store.hpp"

namespace hawser {

/// Shared by all logins; outlives them.
struct login_surroundings {
  loop& home;
  token_store& store;
  resolver& names;
  bool opens_browser = true;
  unix_clock now = unix_now;
};

struct login_subject {
  std::string name{};  ///< the server's name, for messages
  std::string url{};   ///< as configured
  oauth_settings settings{};
  /// Options for connections to authorization servers: certificates and proxies.
  std::function<task<result<http_client_options>>()> connection{};
  /// Options for connections to the server's own origin, for its metadata; empty = as above.
  std::function<task<result<http_client_options>>()> server_connection{};
  std::function<void()> when_lost{};  ///< called when an interactive login is needed
};

/// Options of an interactive login.
struct login_wish {
  /// Whether a login may be kept in memory only, if the store cannot save it.
  enum class keeping : std::uint8_t { if_possible, required };
  std::string scope{};  ///< in addition to what the server requires
  bool again = false;   ///< log in even if there is a working login
  duration patience = std::chrono::minutes{5};
  keeping keep = keeping::if_possible;
};

/// A login without its secrets.
struct login_summary {
  std::string server{};  ///< its URL, without the query
  std::string issuer{};
  std::string resource{};  ///< without the query
  std::string client{};
  std::string scope{};
  std::int64_t expires_at = 0;  ///< of the access token; 0 = unknown
  bool lasting = false;         ///< it can be refreshed without user interaction
  bool kept = true;             ///< saved in the store; otherwise it ends with this process
};
login_summary summary_of(std::string_view server_url, const login& of);

struct logout_report {
  std::size_t removed = 0;              ///< logins
  std::size_t revoked = 0;              ///< tokens that the authorization server has revoked
  std::vector<std::string> failures{};  ///< why other tokens were not revoked
};

class server_login final : public authorizer {
 public:
  server_login(const login_surroundings& around, login_subject of);
  server_login(const server_login&) = delete;
  server_login& operator=(const server_login&) = delete;
  ~server_login() override;

  [[nodiscard]] std::optional<auth_grant> at_hand() override;
  task<result<auth_grant>> grant() override;
  task<result<auth_grant>> refused(auth_refusal why) override;

  /// Whether a request was refused for a missing login or a missing scope, and nothing has changed since.
  [[nodiscard]] bool wanted() const noexcept { return !lacking_.empty(); }
  /// Whether the login is missing: the server accepts no request before a new login.
  [[nodiscard]] bool lost() const noexcept { return wanted() && !more_scope_; }
  [[nodiscard]] const std::string& reason() const noexcept { return lacking_; }
  [[nodiscard]] std::optional<login_summary> known() const;
  /// Whether there is a login that can be refreshed without user interaction.
  [[nodiscard]] bool is_lasting() const { return known_ && renewable(); }
  /// Reads the store again. Returns whether it has another login than the one known here; that one is used from then
  /// on.
  task<result<bool>> appeared();
  /// Interactive login, one at a time. T-27: at most three step-ups an hour.
  task<result<login_summary>> authenticate(login_wish wish, login_person& person);
  /// Removes the tokens, and revokes them if the authorization server supports it.
  task<result<logout_report>> log_out();
  /// Waits a short while for a refresh in progress. No member may be called afterwards.
  task<void> close();

 private:
  // server_login.cpp
  task<result<void>> loaded();
  /// `obtained`: issued by the authorization server just now; otherwise read from the store.
  void adopt(login what, bool obtained = false);
  [[nodiscard]] auth_grant current() const;
  [[nodiscard]] bool expires_soon() const;
  [[nodiscard]] bool renewable() const;
  task<result<auth_grant>> refused_scope(std::string operation, const challenge* bearer);
  [[nodiscard]] error lacking(std::string what);
  void note_challenge(const challenge* bearer);
  [[nodiscard]] bool fits(const login& kept) const;

  // login_by_person.cpp
  task<result<bool>> sends_in_clear();
  task<result<std::unique_ptr<web>>> connected();
  task<result<token_store::lead>> sole_right(login_key to);
  task<result<void>> store_keeps();
  task<result<login_summary>> log_in_over(web& asks, login_wish wish, login_person& person);

  // login_renewal.cpp
  task<result<void>> renewed(std::uint64_t stale);
  static task<void> renewing(server_login& self);
  task<result<void>> renew_now();
  task<result<void>> renew_under_lead(web& asks, login before);
  task<result<void>> renewal_refused(login before, token_outcome outcome);
  task<result<void>> machine_login();
  task<result<void>> machine_login_over(web& asks);
  task<result<std::shared_ptr<const signing_key>>> own_key();

  const login_surroundings& around_;
  login_subject of_;
  http_url to_;
  std::unique_ptr<scope> work_;  // created by the first refresh
  bool closed_ = false;
  bool loaded_ = false;
  std::optional<login> known_;
  held_secrets hidden_;  // redacts the secrets of the last known login
  secret spent_;         // a refused refresh token; not taken from the store again
  std::uint64_t serial_ = 0;
  auth_grant grant_;          // header field for known_
  time_point fresh_until_{};  // obtained here a moment ago
  bool in_flight_ = false;
  time_point flight_began_{};
  event landed_;
  std::optional<error> flight_failed_;
  time_point not_before_{};  // earliest time of the next attempt after a failed refresh
  int failures_ = 0;
  bool busy_ = false;  // an interactive login is in progress
  std::string lacking_;
  std::string hinted_;
  std::optional<std::string> challenged_scope_;
  bool more_scope_ = false;  // a step-up is required
  std::vector<time_point> step_ups_;
};

}  // namespace hawser
