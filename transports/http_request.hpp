// SPDX-License-Identifier: MIT
// A request for an http_client, and the ticket by which it can be given up while somebody waits for its answer.
#pragma once

#include <optional>
#include <string_view>

#include "../runtime/stop.hpp"
#include "http_connection.hpp"
#include "http_url.hpp"
#include "network_zone.hpp"

namespace hawser {

/// Lets a request, or the reading of its answer, be given up from outside of the coroutine that waits. It outlives
/// both.
class http_ticket {
 public:
  /// Whoever waits ends with errc::cancelled; what was not sent yet will not be.
  void withdraw() noexcept;
  [[nodiscard]] bool withdrawn() const noexcept { return withdrawn_; }
  /// Whether any byte of it has left, over whichever connection.
  [[nodiscard]] bool has_left() const noexcept { return left_ || (over_ != nullptr && over_->request_left()); }

 private:
  friend class http_client;
  friend class http_answer;
  bool withdrawn_ = false;
  bool left_ = false;  // over a connection that it has no more
  http_connection* over_ = nullptr;
  stop_source* connecting_ = nullptr;  // of the wait for a place and a connection
};

struct http_request {
  std::string_view method = "POST";
  const http_url* to = nullptr;
  std::string_view fields{};  ///< ready lines, each with its line end; not Host, Content-Length or Connection
  /// More lines of that kind. A redirect never takes them to another origin, and without TLS they are sent to loopback
  /// addresses only.
  std::string_view credentials{};
  std::string_view body{};
  /// May be sent again where nobody knows whether it arrived.
  bool replayable = false;
  /// Has places of its own, http_client_options::max_urgent: what those that have one of the others may be waiting for.
  bool urgent = false;
  /// Whoever asks gives it up in time: http_patience::silence does not hold for its answer.
  bool patient = false;
  /// Until the head of the answer is there, waiting for a place and connecting included; zero: nobody counts.
  duration within{};
  /// Off for what carries credentials in its body: a redirect is then an answer like any other.
  bool follows_redirects = true;
  /// How many are followed; empty: as many as the client's options allow.
  std::optional<int> max_redirects{};
  /// Where not null: set to the URL that answered if a redirect led there, else left alone.
  http_url* redirected_to = nullptr;
  /// How far inward its host may lie: a URL that a server told us may not lead further in than the one the user typed.
  network_zone innermost = network_zone::loopback;
  http_ticket* ticket = nullptr;
};

}  // namespace hawser
