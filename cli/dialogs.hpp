// SPDX-License-Identifier: MIT
// Asks the user for the input that servers request. Concurrent requests are asked one after another.
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

  /// For a hub that does not outlive this object. Without an interactive terminal, all requests are declined with a
  /// notice.
  [[nodiscard]] input_handlers handlers();
  /// Asks the user until stopped. Unanswered requests are then treated as declined.
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
  notices declining_;  // whether to print a notice when a request is declined
  std::deque<question> questions_;
  event asked_;
};

}  // namespace hawser::cli
