// SPDX-License-Identifier: MIT
// Interactive login at the terminal: shows the authorization URL and accepts the pasted redirect URL.
#pragma once

#include <memory>
#include <string>

#include "../../oauth/code_flow.hpp"
#include "../../runtime/redaction.hpp"
#include "line_source.hpp"
#include "terminal.hpp"

namespace hawser::cli {

class terminal_login final : public login_ui {
 public:
  enum class mode : std::uint8_t {
    browser,  ///< a browser is opened; pasting is possible at a terminal, too
    paste,    ///< no browser is opened; the redirect URL is read from stdin
  };
  /// `server` is the displayed name; `lines`, if given, replaces stdin. Secrets that `hidden` knows, if given, are not
  /// shown in the name of the resource.
  terminal_login(terminal& screen, progress_line& waiting, std::string server, mode by,
                 std::unique_ptr<line_source> lines = nullptr, std::shared_ptr<const redaction> hidden = nullptr);

  void show(const login_prompt& prompt) override;
  void show_message(const std::string& text) override;
  [[nodiscard]] bool wants_browser() const override { return mode_ == mode::browser; }
  task<result<std::string>> read_pasted_text() override;
  /// Ends the prompt after the login.
  void finish();

 private:
  result<void> open(loop& home);
  void end_prompt();
  [[nodiscard]] std::string without_secrets(const std::string& url) const;

  terminal& screen_;
  progress_line& progress_;
  std::string server_;
  mode mode_;
  std::unique_ptr<line_source> lines_;
  std::shared_ptr<const redaction> hidden_;
  bool asking_ = false;  // the cursor is after the prompt
};

}  // namespace hawser::cli
