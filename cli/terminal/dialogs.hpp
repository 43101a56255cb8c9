// SPDX-License-Identifier: MIT
// Asks the user for the input that servers request. Concurrent requests are asked one after another.
#pragma once

#include <cstdint>
#include <deque>
#include <variant>

#include "../../host/session/input_handlers.hpp"
#include "../../runtime/async/event.hpp"
#include "../../runtime/async/task.hpp"
#include "terminal.hpp"

namespace hawser::cli {

class dialogs {
 public:
  enum class notices : std::uint8_t { printed, suppressed };
  dialogs(terminal& screen, progress_line& waiting, notices declining) noexcept
      : screen_(screen), progress_(waiting), decline_notices_(declining) {}
  dialogs(const dialogs&) = delete;
  dialogs& operator=(const dialogs&) = delete;
  ~dialogs() = default;

  /// For a hub that does not outlive this object. Without an interactive terminal, all requests are declined with a
  /// notice.
  [[nodiscard]] input_handlers handlers();
  /// Asks the user until stopped. Unanswered requests are then treated as declined.
  task<void> serve();

 private:
  struct pending_request {
    std::variant<form_request, url_request> what;
    reply<elicitation_answer> answer;
  };
  void enqueue(pending_request asked);
  task<result<elicitation_answer>> ask(std::variant<form_request, url_request> what);

  terminal& screen_;
  progress_line& progress_;
  notices decline_notices_;  // whether to print a notice when a request is declined
  std::deque<pending_request> requests_;
  event request_queued_;
};

}  // namespace hawser::cli
