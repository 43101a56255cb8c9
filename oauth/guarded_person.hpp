// SPDX-License-Identifier: MIT
// Wraps a login_person of the embedding program: exceptions are logged, and the login continues.
#pragma once

#include <string>

#include "../runtime/guarded.hpp"
#include "../runtime/loop.hpp"
#include "flow.hpp"

namespace hawser {

class guarded_person final : public login_person {
 public:
  /// Both parameters must outlive it.
  guarded_person(const loop& home, login_person& inner) noexcept : log_(home.log()), inner_(inner) {}

  void show(const login_prompt& prompt) override {
    call_guarded(log_, "the login function show", [&] { inner_.show(prompt); });
  }
  void remark(const std::string& text) override {
    call_guarded(log_, "the login function remark", [&] { inner_.remark(text); });
  }
  /// No browser after an exception: the URL has been shown.
  [[nodiscard]] bool wants_browser() const override {
    bool wanted = false;
    call_guarded(log_, "the login function wants_browser", [&] { wanted = inner_.wants_browser(); });
    return wanted;
  }
  task<result<std::string>> pasted() override {
    return guarded_task("the login function pasted", [&inner = inner_] { return inner.pasted(); }, &log_);
  }

 private:
  const logger& log_;
  login_person& inner_;
};

}  // namespace hawser
