// SPDX-License-Identifier: MIT
// Requests that wait for the client to come again with answers (2026-07-28). The client gets a random name for what is
// kept here and nothing else, so there is nothing in it to read, forge or use twice. What is kept is never dropped for
// another: where there is no room, the new one is refused.
#pragma once

#include <list>
#include <map>
#include <string>
#include <string_view>

#include "../runtime/clock.hpp"
#include "../runtime/error.hpp"
#include "text_digest.hpp"

namespace hawser {

class input_rounds {
 public:
  struct limits {
    std::size_t max_waiting = 1024;  ///< of all clients
    std::size_t max_waiting_per_client = 128;
    std::size_t max_bytes = std::size_t{16} << 20;  ///< of the states that are kept, of all clients
    std::size_t max_bytes_per_client = std::size_t{4} << 20;
    std::size_t max_rounds = 10;  ///< of one request
    duration patience = std::chrono::minutes{30};
  };
  struct round {
    std::size_t number = 0;  ///< how often it was asked before
    std::string state;
  };

  input_rounds() = default;
  explicit input_rounds(limits l) noexcept : limits_(l) {}

  /// What a retry must be about: the same method, the same name, the same arguments, which are JSON.
  static text_digest subject_of(std::string_view method, std::string_view name, std::string_view arguments);

  /// The requestState for the client; an error when it was asked too often, or there is no room.
  result<std::string> wait(const text_digest& client, const text_digest& subject, round current, time_point now);
  /// What was kept under this name, once. An error, as invalid parameters, where nothing is, or not for this subject.
  result<round> resume(std::string_view request_state, const text_digest& subject, time_point now);

  [[nodiscard]] std::size_t waiting() const noexcept { return entries_.size(); }

 private:
  struct usage {
    std::size_t waiting = 0;
    std::size_t bytes = 0;
  };
  struct entry {
    text_digest name;  // of its name, so that a search tells nothing about it
    text_digest client;
    text_digest subject;
    round current;
    std::size_t bytes;  // of its state
    time_point expires;
  };
  using place = std::list<entry>::iterator;
  void forget_old(time_point now);
  void forget(place which);

  limits limits_{};
  std::list<entry> entries_;  // oldest first
  std::map<text_digest, place> by_name_;
  std::map<text_digest, usage> by_client_;
  std::size_t bytes_ = 0;
};

}  // namespace hawser
