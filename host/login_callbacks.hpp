// SPDX-License-Identifier: MIT
// Interactive login through callbacks of the embedding program, for `host::authenticate`.
#pragma once

#include <functional>
#include <string>

#include "../oauth/server_login.hpp"
#include "../runtime/async/reply.hpp"
#include "../runtime/guarded.hpp"

namespace hawser {

struct login_callbacks {
  login_options wish{};
  bool open_browser = true;
  /// Called with the authorization URL, whether or not a browser is opened; runs on the hub's executor. Show the issuer
  /// beside the URL.
  std::function<void(login_prompt prompt)> show{};
  /// A message for the user, for instance that no browser could be opened.
  std::function<void(std::string text)> remark{};
  /// For users whose browser runs on another machine: replies with the redirect URL or the code. If empty or dropped,
  /// the redirect is awaited.
  std::function<void(reply<std::string>)> paste{};
};

/// Calls the functions through `runs_callbacks`.
class login_callback_adapter final : public login_ui {
 public:
  login_callback_adapter(login_callbacks callbacks, loop_proxy_ptr proxy, executor runs_callbacks);
  void show(const login_prompt& prompt) override { run("the login function show", callbacks_.show, prompt); }
  void show_message(const std::string& text) override { run("the login function remark", callbacks_.remark, text); }
  [[nodiscard]] bool wants_browser() const override { return callbacks_.open_browser; }
  task<result<std::string>> read_pasted_text() override;

 private:
  template <class T>
  void run(const char* name, const std::function<void(T)>& function, const T& argument) const {
    if (!function) return;
    const auto call = [name, function, argument, proxy = proxy_] {
      auto called = guarded(name, [&] { function(argument); });
      if (!called) proxy->log_error("callback", called.error().what);
    };
    if (!executor_) return call();
    auto passed = guarded("the executor of callbacks", [&] { executor_(call); });
    if (!passed) proxy_->log_error("callback", passed.error().what);
  }

  login_callbacks callbacks_;
  loop_proxy_ptr proxy_;
  executor executor_;
};

}  // namespace hawser
