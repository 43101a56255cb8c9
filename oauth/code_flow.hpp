// SPDX-License-Identifier: MIT
// The authorization code flow: discovery, client, scopes, browser, redirect, and the exchange of the code for tokens.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "auth_metadata.hpp"
#include "login.hpp"
#include "signing_key.hpp"
#include "store/credential_store.hpp"
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
class login_ui {
 public:
  virtual ~login_ui() = default;
  /// Shows where to log in; called whether or not a browser is opened.
  virtual void show(const login_prompt& prompt) = 0;
  /// A message, for instance that no browser could be opened or that the pasted text is invalid.
  virtual void show_message(const std::string& text) = 0;
  [[nodiscard]] virtual bool wants_browser() const { return true; }
  /// Waits for the user to enter the redirect URL or the code. An error means that the user will not.
  virtual task<result<std::string>> read_pasted_text() = 0;
};

struct code_flow_request {
  std::string server_url{};  ///< as configured; the key in the store
  http_url server{};         ///< server_url, parsed
  oauth_settings settings{};
  std::shared_ptr<const signing_key> key{};  ///< for private_key_jwt; null = none
  std::string resource_metadata_url{};       ///< `resource_metadata` of the challenge
  std::optional<std::string> challenged_scope{};
  std::string previous_scope{};                ///< requested before; a step-up must keep it
  std::string user_scope{};                    ///< requested by the user
  duration timeout = std::chrono::minutes{5};  ///< how long to wait for the user
};

struct code_flow_context {
  loop& home;
  credential_store& store;
  oauth_http& http;
  bool opens_browser = true;
  unix_clock now = unix_now;
};

/// Returns the tokens. errc::auth: the user or the server refused; nothing is kept.
task<result<login>> run_code_flow(code_flow_context with, code_flow_request order, login_ui& person);

/// The scope to request; empty: the parameter is omitted.
std::string select_scope(const code_flow_request& order, const auth_metadata& place);

}  // namespace hawser
