// SPDX-License-Identifier: MIT
// Requests that wait for the client to come again with answers (2026-07-28). The client gets a random name for what is
// kept here and nothing else, so there is nothing in it to read, forge or use twice.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "../runtime/clock.hpp"
#include "../runtime/error.hpp"

namespace hawser {

class input_rounds {
 public:
  struct limits {
    std::size_t max_waiting = 1024;  ///< beyond it the oldest is forgotten
    std::size_t max_rounds = 10;     ///< of one request
    duration patience = std::chrono::minutes{30};
  };
  /// What a retry must be about: the same method, the same name, the same arguments.
  struct subject {
    std::string method;
    std::string name;
    std::string arguments;
  };
  struct round {
    std::size_t number = 0;  ///< how often it was asked before
    std::string state;
  };

  input_rounds() = default;
  explicit input_rounds(limits l) noexcept : limits_(l) {}

  /// The requestState for the client; an error when it was asked too often.
  result<std::string> wait(subject about, round current, time_point now);
  /// What was kept under this name, once. An error, as invalid parameters, where nothing is, or not for this subject.
  result<round> resume(std::string_view request_state, const subject& about, time_point now);

  [[nodiscard]] std::size_t waiting() const noexcept { return entries_.size(); }

 private:
  struct entry {
    std::string name;
    subject about;
    round current;
    time_point expires;
  };
  void forget_old(time_point now);

  limits limits_{};
  std::deque<entry> entries_;  // oldest first
};

}  // namespace hawser
