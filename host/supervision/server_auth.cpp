// SPDX-License-Identifier: MIT
// Login to a server and logout.
#include "../../oauth/scopes.hpp"
#include "server.hpp"

namespace hawser {

error server::no_login_error() const {
  error why{.code = errc::config, .what = "there is nothing to log in to: it is a process of this machine"};
  if (const auto* remote = std::get_if<http_settings>(&settings_.transport)) {
    why.what = remote->oauth.enabled ? "its login stands under \"headers\" in its configuration"
                                     : "logging in is switched off for it by \"oauth\": false";
  }
  return annotated(std::move(why), "login");
}

// A login that cannot be renewed also ends the session. Calls that fail with the session get the login's error.
error server::with_login_error(error why) {
  if (!login_ || !login_->is_login_missing()) return why;
  if (why.code == errc::auth) wake_.set();
  if (why.code == errc::closed) {
    why.code = errc::auth;
    why.what = login_->reason();
    why.native = 0;
  }
  return why;
}

task<result<login_summary>> server::authenticate(login_options wish, login_ui& person) {
  if (!login_) co_return no_login_error();
  // The server determines what login it requires, so it is contacted before a browser opens.
  auto there = co_await wait_for_session();
  if (!there && there.error().code != errc::auth) co_return there.error();
  if (there && !wish.again && !login_->needs_login()) {
    const login_summary now = login_->summary().value_or(login_summary{});
    if (has_scopes(now.scope, wish.scope)) co_return now;
  }
  auto done = co_await login_->authenticate(std::move(wish), person);
  if (!done) co_return annotated(done.error(), "login");
  if (accepts_) co_return done;
  if (auto again = restart(); !again) co_return again.error();
  there = co_await wait_for_session();
  if (!there) co_return there.error();
  co_return done;
}

task<result<logout_report>> server::log_out() {
  if (!login_) co_return no_login_error();
  auto done = co_await login_->log_out();
  if (!done) co_return annotated(done.error(), "logout");
  if (accepts_) {
    auto again = restart();
    ignore(again, "a server that is ready is not disabled");
  }
  co_return done;
}

}  // namespace hawser
