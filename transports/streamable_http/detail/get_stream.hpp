// SPDX-License-Identifier: MIT
// The stream on which a legacy server sends messages of its own: the response to a GET, reopened when it ends. Calls do
// not depend on it.
#pragma once

#include <cstdint>

#include "../../../runtime/async/event.hpp"
#include "event_stream_source.hpp"
#include "message_router.hpp"

namespace hawser::detail {

class get_stream {
 public:
  /// All of them outlive this object. `endpoint` is where messages are sent by POST.
  get_stream(event_stream_source& source, authorized_client& client, message_router& router,
             const session_headers& headers, const wire_limits& limits, const http_url& endpoint, duration post_timeout)
      : source_(source),
        client_(client),
        router_(router),
        headers_(headers),
        limits_(limits),
        endpoint_(endpoint),
        post_timeout_(post_timeout) {}

  [[nodiscard]] bool started() const noexcept { return state_ != state::not_started; }
  /// To be called right before run() is spawned.
  void start() noexcept { state_ = state::opening; }
  /// Keeps the stream open until the router is closed or the server offers none. True: the server has ended the
  /// session.
  task<bool> run();

  /// Messages of the server may not arrive yet, because the first attempt to open the stream is in progress.
  [[nodiscard]] bool opening() const noexcept { return state_ == state::opening; }
  /// Waits for the end of that attempt, but not for long, and only once.
  task<void> wait_until_open();

 private:
  enum class state : std::uint8_t { not_started, opening, settled };

  task<bool> session_is_lost();

  event_stream_source& source_;
  authorized_client& client_;
  message_router& router_;
  const session_headers& headers_;
  const wire_limits& limits_;
  const http_url& endpoint_;
  duration post_timeout_;
  state state_ = state::not_started;
  event settled_;
};

}  // namespace hawser::detail
