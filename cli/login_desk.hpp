// SPDX-License-Identifier: MIT
// The person at the terminal who logs in: shown where, and given the chance to paste what the browser came back with.
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
    browser,  ///< one is opened; who sits at a terminal may paste all the same
    paste,    ///< none is opened; what stdin brings is what the browser came back with
  };
  /// `server` is shown; `lines` are read in the place of stdin, where they are given.
  login_desk(terminal& screen, progress& waiting, std::string server, way by,
             std::unique_ptr<line_source> lines = nullptr);

  void show(const login_prompt& prompt) override;
  void remark(const std::string& text) override;
  [[nodiscard]] bool wants_browser() const override { return by_ == way::browser; }
  task<result<std::string>> pasted() override;
  /// The login is over: nothing more is asked.
  void finish();

 private:
  result<void> open(loop& home);
  void end_question();

  terminal& screen_;
  progress& waiting_;
  std::string server_;
  way by_;
  std::unique_ptr<line_source> lines_;
  bool asking_ = false;  // the cursor stands behind the question
};

}  // namespace hawser::cli
