// SPDX-License-Identifier: MIT
// A request for http_client, and the handle that cancels it from outside the coroutine that awaits its response.
#pragma once

#include <optional>
#include <string_view>

#include "../../../runtime/async/stop.hpp"
#include "../../send_check.hpp"
#include "../http_url.hpp"
#include "../network_zone.hpp"
#include "client_connection.hpp"

namespace hawser {

/// Cancels a request, or the reading of its response, from outside the coroutine that awaits it. It outlives both.
class request_handle {
 public:
  /// The awaiting coroutine gets errc::cancelled; what was not sent yet is not sent.
  void cancel() noexcept;
  [[nodiscard]] bool cancelled() const noexcept { return cancelled_; }
  /// Whether any byte of the request has been sent, over any connection.
  [[nodiscard]] bool has_sent_bytes() const noexcept {
    return sent_bytes_ || (connection_ != nullptr && connection_->has_sent_bytes());
  }

 private:
  friend class http_client;
  friend class client_response;
  bool cancelled_ = false;
  bool sent_bytes_ = false;  // over a connection that it no longer uses
  client_connection* connection_ = nullptr;
  stop_source* connecting_ = nullptr;  // stops the wait for a slot and a connection
};

struct client_request {
  std::string_view method = "POST";
  const http_url* to = nullptr;
  std::string_view fields{};  ///< complete lines, each with its line end; not Host, Content-Length or Connection
  /// Further header lines. A redirect never carries them to another origin, and without TLS they are sent to loopback
  /// addresses only.
  std::string_view credential_fields{};
  std::string_view body{};
  /// May be sent again if it is unknown whether it arrived.
  bool replayable = false;
  /// Uses the separate slots of http_client_options::max_urgent, because requests in the other slots may be waiting for
  /// it.
  bool urgent = false;
  /// The caller limits the time: http_timeouts::silence does not apply to the response.
  bool unlimited_silence = false;
  /// Timeout for the head of the response, including the wait for a slot and connecting; zero: none.
  duration timeout{};
  /// False for a request with credentials in its body: a redirect is then a response like any other.
  bool follows_redirects = true;
  /// Maximum number of redirects; empty: as in the client's options.
  std::optional<int> max_redirects{};
  /// If not null: set to the URL that responded if a redirect led there, otherwise unchanged.
  http_url* redirected_to = nullptr;
  /// The innermost zone that its host may lie in: a URL from a server must not lead further inside than the one the
  /// user entered.
  network_zone innermost = network_zone::loopback;
  request_handle* handle = nullptr;
  /// If not null, it is asked immediately before the request is written, each time.
  const send_check* check = nullptr;
};

}  // namespace hawser
