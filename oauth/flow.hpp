// SPDX-License-Identifier: MIT
// The authorization code flow: discovery, client, scopes, browser, redirect, and the exchange of the code for tokens.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "login.hpp"
#include "login_place.hpp"
#include "signing.hpp"
#include "token_store.hpp"
#include "unix_clock.hpp"

namespace hawser {

/// What a user must see before logging in. Printable ASCII.
struct login_prompt {
  std::string url{};       ///< the authorization URL
  std::string issuer{};    ///< the authorization server that issues the tokens; the page may be on another host
  std::string resource{};  ///< what the tokens are for
  /// The resource lies above the server's path, so a token for it may be valid for other servers below it.
  bool resource_above_server = false;
};

/// The user interface of an interactive login. Loop thread only; outlives the login. Exceptions from its functions are
/// logged.
class login_person {
 public:
  virtual ~login_person() = default;
  /// Shows where to log in; called whether or not a browser is opened.
  virtual void show(const login_prompt& prompt) = 0;
  /// A message, for instance that no browser could be opened or that the pasted text is invalid.
  virtual void remark(const std::string& text) = 0;
  [[nodiscard]] virtual bool wants_browser() const { return true; }
  /// Waits for the user to enter the redirect URL or the code. An error means that the user will not.
  virtual task<result<std::string>> pasted() = 0;
};

struct login_order {
  std::string server_url{};  ///< as configured; the key in the store
  http_url server{};         ///< server_url, parsed
  oauth_settings settings{};
  std::shared_ptr<const signing_key> key{};  ///< for private_key_jwt; null = none
  std::string hinted{};                      ///< `resource_metadata` of the challenge
  std::optional<std::string> challenged_scope{};
  std::string earlier_scope{};                  ///< requested before; a step-up must keep it
  std::string wished_scope{};                   ///< requested by the user
  duration patience = std::chrono::minutes{5};  ///< how long to wait for the user
};

struct login_tools {
  loop& home;
  token_store& store;
  web& asks;
  bool opens_browser = true;
  unix_clock now = unix_now;
};

/// Returns the tokens. errc::auth: the user or the server refused; nothing is kept.
task<result<login>> log_in(login_tools with, login_order order, login_person& person);

/// The scope to request; empty: the parameter is omitted.
std::string chosen_scope(const login_order& order, const login_place& place);

}  // namespace hawser
