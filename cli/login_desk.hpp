// SPDX-License-Identifier: MIT
// Interactive login at the terminal: shows the authorization URL and accepts the pasted redirect URL.
#pragma once

#include <memory>
#include <string>

#include "../oauth/flow.hpp"
#include "line_source.hpp"
#include "terminal.hpp"

namespace hawser::cli {

class login_desk final : public login_person {
 public:
  enum class way : std::uint8_t {
    browser,  ///< a browser is opened; pasting is possible at a terminal, too
    paste,    ///< no browser is opened; the redirect URL is read from stdin
  };
  /// `server` is the displayed name; `lines`, if given, replaces stdin.
  login_desk(terminal& screen, progress& waiting, std::string server, way by,
             std::unique_ptr<line_source> lines = nullptr);

  void show(const login_prompt& prompt) override;
  void remark(const std::string& text) override;
  [[nodiscard]] bool wants_browser() const override { return by_ == way::browser; }
  task<result<std::string>> pasted() override;
  /// Ends the prompt after the login.
  void finish();

 private:
  result<void> open(loop& home);
  void end_question();

  terminal& screen_;
  progress& waiting_;
  std::string server_;
  way by_;
  std::unique_ptr<line_source> lines_;
  bool asking_ = false;  // the cursor is after the prompt
};

}  // namespace hawser::cli
