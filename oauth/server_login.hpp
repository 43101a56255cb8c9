// SPDX-License-Identifier: MIT
// The login of one server: what its requests are made with, renewed by exactly one of all threads and processes that
// share it. Passive: it never asks a person by itself, but says that somebody should.
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

/// What all logins share; lives longer.
struct login_surroundings {
  loop& home;
  token_store& store;
  resolver& names;
  bool opens_browser = true;
  unix_clock now = unix_now;
};

struct login_subject {
  std::string name{};  ///< the server's, for messages
  std::string url{};   ///< as it is configured
  oauth_settings settings{};
  /// How to reach authorization servers: certificates and proxies.
  std::function<task<result<http_client_options>>()> connection{};
  /// How to reach the server's own origin, for its metadata; empty = in the same way.
  std::function<task<result<http_client_options>>()> server_connection{};
  std::function<void()> when_lost{};  ///< somebody has to log in from now on
};

/// What a person asks for.
struct login_wish {
  /// Whether a login that ends with the program is good enough, where the store cannot keep it.
  enum class keeping : std::uint8_t { if_possible, required };
  std::string scope{};  ///< beside what the server wants
  bool again = false;   ///< also where there is a login that works
  duration patience = std::chrono::minutes{5};
  keeping keep = keeping::if_possible;
};

/// What there is to know of a login without seeing it.
struct login_summary {
  std::string server{};  ///< its URL, without the query
  std::string issuer{};
  std::string resource{};  ///< without the query, too
  std::string client{};
  std::string scope{};
  std::int64_t expires_at = 0;  ///< of the access token; 0 = unknown
  bool lasting = false;         ///< it can be renewed without a person
  bool kept = true;             ///< for the next program, too; else it ends with this one
};
login_summary summary_of(std::string_view server_url, const login& of);

struct logout_report {
  std::size_t removed = 0;              ///< logins
  std::size_t revoked = 0;              ///< tokens that the server was told of and forgot
  std::vector<std::string> failures{};  ///< why others could not be revoked
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

  /// Whether a request was refused for want of a login, or of more scopes, and nothing has changed since.
  [[nodiscard]] bool wanted() const noexcept { return !lacking_.empty(); }
  /// The former: nothing can be asked of the server before somebody logs in.
  [[nodiscard]] bool lost() const noexcept { return wanted() && !more_scope_; }
  [[nodiscard]] const std::string& reason() const noexcept { return lacking_; }
  [[nodiscard]] std::optional<login_summary> known() const;
  /// Whether there is one that can be renewed without a person.
  [[nodiscard]] bool is_lasting() const { return known_ && renewable(); }
  /// Whether the store has another login by now than what was known here; it is used from then on.
  task<result<bool>> appeared();
  /// By a person. One at a time. T-27: at most three times an hour because a server wants more scopes.
  task<result<login_summary>> authenticate(login_wish wish, login_person& person);
  /// Removes the tokens, and has them revoked where the server offers it.
  task<result<logout_report>> log_out();
  /// Lets a renewal that has begun end, for a short while. Nothing may be asked afterwards.
  task<void> close();

 private:
  // server_login.cpp
  task<result<void>> loaded();
  /// `obtained`: from the authorization server itself, just now; else somebody else had it.
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
  std::unique_ptr<scope> work_;  // there is one when something was renewed
  bool closed_ = false;
  bool loaded_ = false;
  std::optional<login> known_;
  held_secrets hidden_;  // of the last one that was known
  secret spent_;         // a refresh token that was refused: not taken from the store again
  std::uint64_t serial_ = 0;
  auth_grant grant_;          // of what is known, ready to be sent
  time_point fresh_until_{};  // it was obtained here a moment ago
  bool in_flight_ = false;
  time_point flight_began_{};
  event landed_;
  std::optional<error> flight_failed_;
  time_point not_before_{};  // the next try of a renewal, after one that could not be made
  int failures_ = 0;
  bool busy_ = false;  // with a person
  std::string lacking_;
  std::string hinted_;
  std::optional<std::string> challenged_scope_;
  bool more_scope_ = false;  // a step-up is wanted
  std::vector<time_point> step_ups_;
};

}  // namespace hawser
