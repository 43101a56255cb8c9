// SPDX-License-Identifier: MIT
// One connection to a server: its requests, one after the other. http_server makes it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "../runtime/event.hpp"
#include "../runtime/scope.hpp"
#include "http_call.hpp"
#include "http_server.hpp"

namespace hawser {

class served_connection final : private byte_listener, private http_listener {
 public:
  /// Everything given outlives it.
  served_connection(std::unique_ptr<byte_stream> over, const http_server_options& options);

  /// Serves until either side has enough of it; closed on every path.
  task<void> run(const answer_request& with);
  /// Says that there are too many, and closes.
  task<void> turn_away();

 private:
  enum class state : std::uint8_t { reading, answering, leaving };

  void on_bytes() noexcept override;
  void on_end(const error& why) noexcept override;
  void on_head(const http_head& head) noexcept override;
  void on_body(std::string_view piece) noexcept override { body_ += piece; }
  void on_complete() noexcept override;

  void read_on() noexcept;
  void prepare_next() noexcept;
  void fail(error why) noexcept;
  void refuse(const error& why);
  void say(int status, std::string_view why);
  task<result<void>> next_request();
  task<bool> answer(const answer_request& with);
  task<void> leave();

  std::unique_ptr<byte_stream> over_;
  const http_server_options& options_;
  http_parser parser_;
  state state_ = state::reading;
  http_head head_;
  std::string body_;
  event begun_;     // something of a request has come, …
  event headed_;    // … its head, …
  event complete_;  // … all of it; all three when it failed
  event ended_;     // the client is gone
  std::optional<error> failure_;
  scope* call_ = nullptr;  // what a client that goes away stops
  bool cut_off_ = false;   // an answer was not ended
};

}  // namespace hawser
