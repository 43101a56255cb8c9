// SPDX-License-Identifier: MIT
// One login by a person: where, as whom, for which scopes, through the browser and back, and the code for tokens.
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

/// What a person has to know before logging in. Printable ASCII.
struct login_prompt {
  std::string url{};       ///< the page to log in at
  std::string issuer{};    ///< the authorization server that is to give the tokens; the page may be on another host
  std::string resource{};  ///< what the tokens are for
  /// The resource lies above the server's path: whoever has a token for it may use it at other servers below it.
  bool resource_above_server = false;
};

/// Whoever logs in. On the loop thread; outlives the login. What its functions throw is logged.
class login_person {
 public:
  virtual ~login_person() = default;
  /// Where to log in; called whether or not a browser is opened.
  virtual void show(const login_prompt& prompt) = 0;
  /// For instance that no browser could be opened, or that what was pasted will not do.
  virtual void remark(const std::string& text) = 0;
  [[nodiscard]] virtual bool wants_browser() const { return true; }
  /// What the browser was redirected to, or the code in it, typed by hand; waits for it. An error: he will not.
  virtual task<result<std::string>> pasted() = 0;
};

struct login_order {
  std::string server_url{};  ///< as it is configured; the store's name for it
  http_url server{};         ///< the same
  oauth_settings settings{};
  std::shared_ptr<const signing_key> key{};  ///< for private_key_jwt; null = none
  std::string hinted{};                      ///< `resource_metadata` of the challenge
  std::optional<std::string> challenged_scope{};
  std::string earlier_scope{};                  ///< what was asked for before: a step-up must not lose it
  std::string wished_scope{};                   ///< what the person asks for
  duration patience = std::chrono::minutes{5};  ///< for the person
};

struct login_tools {
  loop& home;
  token_store& store;
  web& asks;
  bool opens_browser = true;
  unix_clock now = unix_now;
};

/// Tokens, saved. errc::auth: the person or the server said no; nothing is kept of it.
task<result<login>> log_in(login_tools with, login_order order, login_person& person);

/// What is asked for; nothing: the parameter is left out.
std::string chosen_scope(const login_order& order, const login_place& place);

}  // namespace hawser
