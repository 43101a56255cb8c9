// SPDX-License-Identifier: MIT
// The login of one server: supplies credentials for its requests, and reacts to refusals. It never starts an
// interactive login itself; it only reports that one is needed. When tokens are refreshed is decided in token_refresh.
#pragma once

#include <optional>
#include <string>

#include "current_login.hpp"
#include "interactive_login.hpp"
#include "login_context.hpp"
#include "login_requirement.hpp"
#include "login_summary.hpp"
#include "logout.hpp"
#include "oauth_http_factory.hpp"
#include "token_refresh.hpp"

namespace hawser {

class server_login final : public authorizer {
 public:
  /// `shared` must outlive it.
  server_login(const login_context& shared, server_login_options options);
  server_login(const server_login&) = delete;
  server_login& operator=(const server_login&) = delete;

  [[nodiscard]] std::optional<credentials> cached() override;
  task<result<credentials>> acquire() override;
  task<result<credentials>> on_challenge(auth_challenge why) override;

  /// Whether a request was refused for a missing login or a missing scope, and nothing has changed since.
  [[nodiscard]] bool needs_login() const noexcept { return requirement_.current() != login_requirement::kind::none; }
  /// Whether the login is missing: the server accepts no request before a new login.
  [[nodiscard]] bool is_login_missing() const noexcept {
    return requirement_.current() == login_requirement::kind::login;
  }
  [[nodiscard]] const std::string& reason() const noexcept { return requirement_.reason(); }
  [[nodiscard]] std::optional<login_summary> summary() const;
  /// Whether there is a login that can be refreshed without user interaction.
  [[nodiscard]] bool has_renewable_login() const { return login_.get() && refresh_.possible(); }
  /// Reads the store again. Returns whether it has another login than the one known here; that one is used from then
  /// on.
  task<result<bool>> reload() { return login_.reload(); }
  /// Interactive login, one at a time. T-27: at most three step-ups an hour.
  task<result<login_summary>> authenticate(login_options request, login_ui& ui) {
    return interactive_.run(std::move(request), ui);
  }
  /// Removes the tokens, and revokes them if the authorization server supports it.
  task<result<logout_report>> log_out();
  /// Waits a short while for a refresh in progress. No member may be called afterwards.
  task<void> close() { return refresh_.close(); }

 private:
  task<result<credentials>> on_insufficient_scope(std::string operation, const challenge* bearer);

  const login_context& shared_;
  server_login_options options_;
  login_requirement requirement_;
  current_login login_;
  oauth_http_factory connections_;
  token_refresh refresh_;
  interactive_login interactive_;
};

}  // namespace hawser
