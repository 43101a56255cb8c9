// SPDX-License-Identifier: MIT
// One connection accepted by http_server: its requests, one after the other.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "../../../runtime/async/event.hpp"
#include "../../../runtime/async/scope.hpp"
#include "http_server.hpp"
#include "server_exchange.hpp"

namespace hawser {

/// State shared by all connections of a server; outlives them.
struct http_server_state {
  loop& home;
  const http_server_options& options;
  const request_handler& with;
  const head_check& judge;
  byte_budget bodies{options.max_body_bytes};  ///< of all bodies held, not counting the first 64 KiB of each
};

class server_connection final : private byte_listener, private http_listener {
 public:
  server_connection(std::unique_ptr<byte_stream> over, http_server_state& all);

  /// Serves requests until either side ends the connection; closes it on every path.
  task<void> run();
  /// Responds that there are too many connections, and closes.
  task<void> reject();

  /// Its state, in the order in which connections are closed to make room for others: those without any complete
  /// request so far, those that wait for another one, those that wait for the rest of one. One that is answering is
  /// never closed.
  enum class eviction_priority : std::uint8_t { unused, idle, in_head, in_body, answering };
  [[nodiscard]] eviction_priority priority() const noexcept;
  /// When it started to wait for this request: of two in the same state, the one that has waited longer is closed.
  [[nodiscard]] time_point waiting_since() const noexcept { return waiting_since_; }

 private:
  enum class state : std::uint8_t { reading, answering, closing };

  void on_bytes() noexcept override;
  void on_end(const error& why) noexcept override;
  void on_head(const http_head& head) noexcept override;
  void on_body(std::string_view piece) noexcept override;
  void on_complete() noexcept override;

  void read_on() noexcept;
  void prepare_next() noexcept;
  void fail(error why) noexcept;
  void refuse(const error& why);
  void send_last_response(const complete_response& last);
  [[nodiscard]] drain_rate write_rate() const noexcept;
  task<result<void>> body_arrived();
  task<result<void>> next_request();
  task<bool> answer();
  task<void> close_gracefully();

  std::unique_ptr<byte_stream> over_;
  http_server_state& all_;
  const http_server_options& options_;
  http_parser parser_;
  state state_ = state::reading;
  bool used_ = false;  // a complete request has arrived
  time_point waiting_since_;
  http_head head_;
  std::string body_;
  std::optional<byte_budget::share> held_;  // by the body
  std::size_t counted_body_ = 0;            // its size
  std::uint64_t received_ = 0;              // bytes of requests received
  event begun_;                             // a request has started, …
  event headed_;                            // … its head is complete, …
  event complete_;                          // … all of it is; a failure sets all three
  event ended_;                             // the client has disconnected
  std::optional<error> failure_;
  std::optional<complete_response> refusal_;  // the response that refuses the request for its head or its size
  scope* call_ = nullptr;                     // stopped when the client disconnects
  bool cut_off_ = false;                      // a response was not completed
};

}  // namespace hawser
