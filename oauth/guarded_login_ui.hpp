// SPDX-License-Identifier: MIT
// Wraps a login_ui of the embedding program: exceptions are logged, and the login continues.
#pragma once

#include <string>

#include "../runtime/guarded.hpp"
#include "../runtime/loop/loop.hpp"
#include "code_flow.hpp"

namespace hawser {

class guarded_login_ui final : public login_ui {
 public:
  /// Both parameters must outlive it.
  guarded_login_ui(const loop& home, login_ui& inner) noexcept : log_(home.log()), inner_(inner) {}

  void show(const login_prompt& prompt) override {
    call_guarded(log_, "the login function show", [&] { inner_.show(prompt); });
  }
  void show_message(const std::string& text) override {
    call_guarded(log_, "the login function show_message", [&] { inner_.show_message(text); });
  }
  /// No browser after an exception: the URL has been shown.
  [[nodiscard]] bool wants_browser() const override {
    bool wanted = false;
    call_guarded(log_, "the login function wants_browser", [&] { wanted = inner_.wants_browser(); });
    return wanted;
  }
  task<result<std::string>> read_pasted_text() override {
    return guarded_task(
        "the login function read_pasted_text", [&inner = inner_] { return inner.read_pasted_text(); }, &log_);
  }

 private:
  const logger& log_;
  login_ui& inner_;
};

}  // namespace hawser
