// SPDX-License-Identifier: MIT
// What servers ask of the user, one question after another, however many ask at once.
#pragma once

#include <cstdint>
#include <deque>
#include <variant>

#include "../host/input.hpp"
#include "../runtime/event.hpp"
#include "../runtime/task.hpp"
#include "terminal.hpp"

namespace hawser::cli {

class dialogs {
 public:
  enum class notices : std::uint8_t { printed, suppressed };
  dialogs(terminal& screen, progress& waiting, notices declining) noexcept
      : screen_(screen), waiting_(waiting), declining_(declining) {}
  dialogs(const dialogs&) = delete;
  dialogs& operator=(const dialogs&) = delete;
  ~dialogs() = default;

  /// For a hub that does not outlive this object. Where nobody can be asked, everything is declined with a notice.
  [[nodiscard]] input_handlers handlers();
  /// Asks, until it is stopped; what is not answered then counts as declined.
  task<void> serve();

 private:
  struct question {
    std::variant<form_request, url_request> what;
    reply<elicitation_answer> answer;
  };
  void take(question asked);
  task<result<elicitation_answer>> ask(std::variant<form_request, url_request> what);

  terminal& screen_;
  progress& waiting_;
  notices declining_;  // whether it is said that a question was declined
  std::deque<question> questions_;
  event asked_;
};

}  // namespace hawser::cli
