// SPDX-License-Identifier: MIT
// One connection accepted by http_server: its requests, one after the other.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "../runtime/event.hpp"
#include "../runtime/scope.hpp"
#include "http_call.hpp"
#include "http_server.hpp"

namespace hawser {

/// State shared by all connections of a server; outlives them.
struct http_serving {
  loop& home;
  const http_server_options& options;
  const answer_request& with;
  const judge_head& judge;
  std::size_t body_bytes = 0;  ///< of all bodies held, not counting the first 64 KiB of each
};

class served_connection final : private byte_listener, private http_listener {
 public:
  served_connection(std::unique_ptr<byte_stream> over, http_serving& all);
  ~served_connection() { release_body(); }

  /// Serves requests until either side ends the connection; closes it on every path.
  task<void> run();
  /// Responds that there are too many connections, and closes.
  task<void> turn_away();

  /// Its state, in the order in which connections are closed to make room for others: those without any complete
  /// request so far, those that wait for another one, those that wait for the rest of one. One that is answering is
  /// never closed.
  enum class standing : std::uint8_t { unused, idle, in_head, in_body, answering };
  [[nodiscard]] standing how() const noexcept;
  /// When it started to wait for this request: of two in the same state, the one that has waited longer is closed.
  [[nodiscard]] time_point since() const noexcept { return since_; }

 private:
  enum class state : std::uint8_t { reading, answering, leaving };

  void on_bytes() noexcept override;
  void on_end(const error& why) noexcept override;
  void on_head(const http_head& head) noexcept override;
  void on_body(std::string_view piece) noexcept override;
  void on_complete() noexcept override;

  void read_on() noexcept;
  void prepare_next() noexcept;
  void fail(error why) noexcept;
  void refuse(const error& why);
  void say(const whole_answer& last);
  void release_body() noexcept;
  [[nodiscard]] drain_pace pace() const noexcept;
  task<result<void>> body_arrived();
  task<result<void>> next_request();
  task<bool> answer();
  task<void> leave();

  std::unique_ptr<byte_stream> over_;
  http_serving& all_;
  const http_server_options& options_;
  http_parser parser_;
  state state_ = state::reading;
  bool used_ = false;  // a complete request has arrived
  time_point since_;
  http_head head_;
  std::string body_;
  std::size_t counted_body_ = 0;  // its part of http_serving::body_bytes
  std::uint64_t received_ = 0;    // bytes of requests received
  event begun_;                   // a request has started, …
  event headed_;                  // … its head is complete, …
  event complete_;                // … all of it is; a failure sets all three
  event ended_;                   // the client has disconnected
  std::optional<error> failure_;
  std::optional<whole_answer> refusal_;  // the response that refuses the request for its head or its size
  scope* call_ = nullptr;                // stopped when the client disconnects
  bool cut_off_ = false;                 // a response was not completed
};

}  // namespace hawser
