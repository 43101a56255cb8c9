// SPDX-License-Identifier: MIT
// Refreshes the tokens of one server's login: decides when a refresh is due, runs at most one at a time among all
// waiters of this process and, under the store's lock, among all processes, and decides which login is valid after it.
#pragma once

#include <memory>
#include <optional>

#include "../runtime/async/event.hpp"
#include "../runtime/async/scope.hpp"
#include "client_credentials_login.hpp"
#include "current_login.hpp"
#include "login_requirement.hpp"
#include "oauth_http_factory.hpp"
#include "token_endpoint.hpp"

namespace hawser {

class token_refresh {
 public:
  /// All parameters must outlive it.
  token_refresh(const login_context& shared, const server_login_options& options, current_login& login,
                login_requirement& requirement, oauth_http_factory& connections);
  token_refresh(const token_refresh&) = delete;
  token_refresh& operator=(const token_refresh&) = delete;
  ~token_refresh();

  /// Whether the login can be refreshed without user interaction.
  [[nodiscard]] bool possible() const;
  /// The renewal rule: whether a request should wait for new tokens, because those of the login expire soon. E19:
  /// expiry by the local clock is only a hint; a 401 decides whether a token is valid.
  [[nodiscard]] bool due() const;
  /// E18: whether the last attempt failed so recently that not every call tries again.
  [[nodiscard]] bool delayed() const;
  /// A new login was set: failures of the old one do not count.
  void forget_failures() noexcept;

  /// Waits for the refresh in progress, or starts one. `stale` is the serial of the credentials to replace. A waiter
  /// that gives up does not cancel the refresh: a rotated token that is not saved is lost.
  task<result<void>> run(std::uint64_t stale);
  /// Waits until no refresh is in progress here, then for the store's lock, so that none overwrites what the caller
  /// saves (T-29). If the store cannot lock, the result holds nothing.
  task<result<credential_store::refresh_lock>> exclude(login_key key);
  /// Waits a short while for a refresh in progress. Nothing is refreshed afterwards.
  task<void> close();

 private:
  static task<void> run_once(token_refresh& self);
  task<result<void>> request_client_login();
  task<result<void>> refresh_stored_login();
  task<result<void>> refresh_with_lock(oauth_http& http, login old);
  task<result<void>> use_new_tokens(oauth_http& http, token_endpoint_context endpoint, login old, token_set tokens);
  task<result<void>> on_refusal(login old, token_response response);

  const login_context& shared_;
  const server_login_options& options_;
  current_login& login_;
  login_requirement& requirement_;
  oauth_http_factory& connections_;
  client_credentials_login client_credentials_;

  std::unique_ptr<scope> scope_;  // created by the first refresh
  bool closed_ = false;
  bool running_ = false;
  time_point started_{};
  event done_;
  std::optional<error> last_error_;
  time_point retry_not_before_{};  // after a failure
  int failures_ = 0;
};

}  // namespace hawser
