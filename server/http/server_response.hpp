// SPDX-License-Identifier: MIT
// The response to one HTTP request, built from JSON-RPC messages: a JSON body if the first message completes it, else
// an SSE stream. Independent of sessions.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/async/event.hpp"
#include "../../transports/http/server/server_exchange.hpp"
#include "../../transports/jsonrpc/message.hpp"
#include "send_backlog.hpp"

namespace hawser {

class server_response {
 public:
  enum class form : std::uint8_t { whole_if_possible, events };
  /// `expected`: the ids, as JSON, of the requests whose responses complete it. If empty, it continues until end() is
  /// called.
  explicit server_response(std::set<std::string, std::less<>> expected, form as = form::whole_if_possible)
      : expected_(std::move(expected)), endless_(expected_.empty()), form_(as) {}
  server_response(const server_response&) = delete;
  server_response& operator=(const server_response&) = delete;
  ~server_response() { count_in(nullptr); }

  /// The ids that have been neither answered nor cancelled yet.
  [[nodiscard]] const std::set<std::string, std::less<>>& expected() const noexcept { return expected_; }
  /// There will be no response for this id.
  void stop_expecting(std::string_view id) noexcept;
  /// The ids of our requests that were sent on this response, so that they can be mapped back to it.
  [[nodiscard]] const std::vector<std::int64_t>& sent_requests() const noexcept { return sent_requests_; }
  void note_sent_request(std::int64_t request) { sent_requests_.push_back(request); }
  /// Never waits. Messages added after the end are dropped.
  void add(const outgoing_message& message);
  /// No more messages will be added.
  void end() noexcept;
  /// As end(), and discards what is queued.
  void drop() noexcept;
  /// Bytes that the operating system has not accepted yet.
  [[nodiscard]] std::size_t queued() const noexcept { return queued_; }
  /// Counts the queued bytes in `unread` from now on, as long as both live; null: nowhere.
  void count_in(send_backlog* unread) noexcept;

  struct write_options {
    http_fields fields{};                            ///< for successful responses
    duration keep_alive = std::chrono::seconds{15};  ///< interval of SSE comments on an idle stream
    bool maps_errors_to_status = false;  ///< map JSON-RPC errors to the HTTP status that 2026-07-28 specifies
  };
  /// Writes until the operating system has accepted everything or the client has disconnected. Sends nothing if end()
  /// is called before any message was added.
  task<void> write(server_exchange& call, const write_options& how);

 private:
  struct piece {
    std::string line;
    bool answers;
    int failure;
  };
  [[nodiscard]] bool over() const noexcept { return ended_ || (!endless_ && expected_.empty()); }
  void taken(std::size_t bytes) noexcept;
  static void begin(server_exchange& call, const write_options& how);
  static void reply(server_exchange& call, piece all, const write_options& how);
  task<bool> more(server_exchange& call, const write_options& how);

  std::set<std::string, std::less<>> expected_;
  bool endless_;
  form form_;
  bool ended_ = false;
  std::deque<piece> waiting_;
  std::vector<std::int64_t> sent_requests_;
  std::size_t queued_ = 0;
  send_backlog* backlog_ = nullptr;
  event changed_;
};

}  // namespace hawser
