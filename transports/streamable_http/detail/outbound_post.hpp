// SPDX-License-Identifier: MIT
// One message that an http_channel sends by POST, and the state of its exchange.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "../../../runtime/async/event.hpp"
#include "../../http/client/http_client.hpp"
#include "../authorizer.hpp"

namespace hawser::detail {

struct outbound_post;

/// Gets the progress of requests that no coroutine awaits. It must not destroy the connection before the call returns.
class post_listener {
 public:
  virtual void on_post_progress(outbound_post& post) noexcept = 0;

 protected:
  ~post_listener() = default;
};

struct outbound_post final : response_listener, std::enable_shared_from_this<outbound_post> {
  explicit outbound_post(post_listener& owner) : listener(owner) {}

  void on_response_progress() noexcept override { listener.on_post_progress(*this); }

  /// The request to send. Valid while this object is unchanged and `endpoint` lives.
  [[nodiscard]] client_request request_to(const http_url& endpoint, duration post_timeout) noexcept;
  /// Ends the exchange: nobody waits for the response any more.
  void abandon() noexcept;
  /// Sleeps; errc::cancelled if the message is abandoned meanwhile.
  task<result<void>> pause(duration length);
  /// Prepares the object for another message. Its strings keep their memory.
  void reset() noexcept;

  post_listener& listener;
  std::string body;
  std::string fields;
  std::string method;  // empty: this is a response
  std::optional<std::int64_t> request{};
  std::size_t position = 0;  // index in post_table plus one; 0: not in it
  outbound_post* next_by_id = nullptr;
  std::size_t unsent = 0;      // bytes of it that unsent_bytes counts
  bool replayable = false;     // may be sent twice
  bool names_session = false;  // in a header field
  bool answered = false;
  request_handle handle{};
  send_check_ref check{};
  event abandoned{};
  event ended{};                                  // set only over the transport of 2024-11-05
  started_request started{};                      // the request, if it was sent without a coroutine, …
  std::optional<credentials> used_credentials{};  // … and its credentials
};

}  // namespace hawser::detail
