// SPDX-License-Identifier: MIT
// How an embedding program plays the person of a login with functions of its own, for `host::authenticate`.
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
  /// Where to log in, whether or not a browser is opened; runs where the hub's callbacks do. A person should see the
  /// issuer beside the address.
  std::function<void(login_prompt prompt)> show{};
  /// Something to know, for instance that no browser could be opened.
  std::function<void(std::string text)> remark{};
  /// For people whose browser runs elsewhere: answers with the address that it was redirected to, or with the code.
  /// Empty, or dropped: the redirect is waited for.
  std::function<void(reply<std::string>)> paste{};
};

/// The functions are called by way of `where`.
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
