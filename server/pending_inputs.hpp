// SPDX-License-Identifier: MIT
// Requests that wait for the client to retry with input responses (2026-07-28). The client gets only a random token
// for the state kept here, so there is nothing in it to read, forge or replay. Kept state is never evicted: if there
// is no room, the new request is refused.
#pragma once

#include <list>
#include <map>
#include <string>
#include <string_view>

#include "../runtime/error.hpp"
#include "../runtime/loop/clock.hpp"
#include "text_digest.hpp"

namespace hawser {

class pending_inputs {
 public:
  struct limits {
    std::size_t max_waiting = 1024;  ///< of all clients
    std::size_t max_waiting_per_client = 128;
    std::size_t max_bytes = std::size_t{16} << 20;  ///< total size of the kept states, of all clients
    std::size_t max_bytes_per_client = std::size_t{4} << 20;
    std::size_t max_rounds = 10;  ///< of one request
    duration patience = std::chrono::minutes{30};
  };
  struct round {
    std::size_t number = 0;  ///< how often the client was asked before
    std::string state;
  };

  pending_inputs() = default;
  explicit pending_inputs(limits l) noexcept : limits_(l) {}

  /// Identifies the request that a retry must repeat: same method, same name, same arguments (JSON).
  static text_digest subject_of(std::string_view method, std::string_view name, std::string_view arguments);

  /// Returns the requestState for the client. Fails if the client was asked too often or there is no room.
  result<std::string> add(const text_digest& client, const text_digest& subject, round current, time_point now);
  /// Returns the state kept for this token and removes it. Fails with invalid params if there is none, or if it
  /// belongs to another subject.
  result<round> resume(std::string_view request_state, const text_digest& subject, time_point now);

  [[nodiscard]] std::size_t waiting() const noexcept { return entries_.size(); }

 private:
  struct usage {
    std::size_t waiting = 0;
    std::size_t bytes = 0;
  };
  struct entry {
    text_digest name;  // digest of the token, so that lookup time reveals nothing about the token
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
