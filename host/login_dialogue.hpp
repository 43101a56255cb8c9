// SPDX-License-Identifier: MIT
// Interactive login through callbacks of the embedding program, for `host::authenticate`.
#pragma once

#include <functional>
#include <string>

#include "../oauth/server_login.hpp"
#include "../runtime/guarded.hpp"
#include "reply.hpp"

namespace hawser {

struct login_dialogue {
  login_wish wish{};
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

/// Calls the functions through `where`.
class dialogue_person final : public login_person {
 public:
  dialogue_person(login_dialogue with, door_ref way, executor where);
  void show(const login_prompt& prompt) override { tell("the login function show", with_.show, prompt); }
  void remark(const std::string& text) override { tell("the login function remark", with_.remark, text); }
  [[nodiscard]] bool wants_browser() const override { return with_.open_browser; }
  task<result<std::string>> pasted() override;

 private:
  template <class T>
  void tell(const char* name, const std::function<void(T)>& function, const T& what) const {
    if (!function) return;
    const auto say = [name, function, what, way = way_] {
      auto called = guarded(name, [&] { function(what); });
      if (!called) way->log_error("callback", called.error().what);
    };
    if (!where_) return say();
    auto given = guarded("the executor of callbacks", [&] { where_(say); });
    if (!given) way_->log_error("callback", given.error().what);
  }

  login_dialogue with_;
  door_ref way_;
  executor where_;
};

}  // namespace hawser
