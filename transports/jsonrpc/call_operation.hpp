// SPDX-License-Identifier: MIT
// One outgoing request and the wait for its response, as an awaitable made by `peer::call`. It enforces deadlines,
// reports progress, and on a stop sends a cancellation to the remote side.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "../../runtime/async/operation.hpp"
#include "message.hpp"
#include "outgoing_lines.hpp"

namespace hawser {

class peer;

struct progress_update {
  double progress = 0;
  std::optional<double> total{};
  std::string_view message{};  ///< valid during the call
};

struct call_options {
  /// Maximum time without a response or a progress notification for this call.
  duration idle_timeout = std::chrono::seconds{60};
  /// Maximum total time, regardless of progress …
  duration hard_timeout = std::chrono::minutes{30};
  /// … and how much of it had elapsed before the request was sent: waiting for the server, earlier requests of the same
  /// call.
  duration elapsed_before{};
  /// Whether the remote side is notified when the call is abandoned. `initialize` must not be cancelled.
  enum class cancellation_notice : std::uint8_t { send, omit } on_abandon = cancellation_notice::send;
  /// Called on the loop thread, from inside the loop. Values only increase; at most 1000 calls per second.
  std::function<void(const progress_update&)> on_progress{};
  /// If not null, receives the id of the request before it is sent, for later references such as a subscription.
  std::int64_t* id = nullptr;
  /// Header lines to send with the request where the transport is HTTP.
  std::string fields{};
  /// The id, as JSON, of the remote side's request on whose behalf this one is sent; empty = none.
  std::string related_request{};
  /// Asked immediately before the transport writes the request, where it does so later than at once, or once more.
  send_check_ref check{};
};

class call_operation final : public operation, private timer {
 public:
  /// All arguments must live until the await returns.
  call_operation(peer& owner, const prepared_request& what, std::string_view argument,
                 const call_options& options) noexcept
      : owner_(owner), request_(what), argument_(argument), options_(options) {}
  ~call_operation() = default;

  /// The result as bytes. errc::remote is an error response from the remote side, errc::protocol an invalid response.
  /// For any other error, `executed` says whether the request may have reached the remote side.
  result<raw_json> await_resume();

 private:
  friend class peer;
  void start() override;
  void cancel() noexcept override;
  void on_expired() noexcept override;
  void finish(const message_view& message) noexcept;
  void finish(error why) noexcept;
  execution abandon(std::string_view reason) noexcept;
  void progressed(const progress_update& update) noexcept;
  [[nodiscard]] duration total_left(time_point now) const noexcept;
  [[nodiscard]] duration silence_left(time_point now) const noexcept;

  peer& owner_;
  const prepared_request& request_;
  std::string_view argument_;
  const call_options& options_;
  std::int64_t id_ = 0;
  raw_json answer_;
  std::unique_ptr<error> failure_;
  time_point started_;
  time_point last_sign_;  // when the request was sent or progress last arrived
  std::optional<double> last_progress_;
  time_point progress_second_;
  int progress_count_ = 0;
};

}  // namespace hawser
