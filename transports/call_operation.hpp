// SPDX-License-Identifier: MIT
// One request of ours and the wait for its answer, as an awaitable: `peer::call` makes it. It has a deadline, hears of
// progress, and when it is stopped the other side is told.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "../runtime/operation.hpp"
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
  /// How long the other side may be silent about this call: an answer or progress.
  duration idle_timeout = std::chrono::seconds{60};
  /// How long it may take in all, whatever progress it reports …
  duration hard_timeout = std::chrono::minutes{30};
  /// … and how much of that was over before it was sent: waiting for the server, earlier requests of the same call.
  duration spent{};
  /// What becomes of a call that is given up. `initialize` may not be cancelled.
  enum class giving_up : std::uint8_t {
    tells_the_other_side,
    is_silent
  } when_stopped = giving_up::tells_the_other_side;
  /// On the loop thread, from inside the loop. Values only grow; at most a thousand in a second.
  std::function<void(const progress_update&)> on_progress{};
  /// Where to write the id of the request before it is sent, for what refers to it later: a subscription.
  std::int64_t* id = nullptr;
  /// Header lines that go with the request where the transport is HTTP.
  std::string fields{};
  /// The request of the other side, its id as JSON, on whose behalf this is asked; empty = none.
  std::string about{};
};

class call_operation final : public operation, private timer {
 public:
  /// Everything it is given lives until the await returns.
  call_operation(peer& owner, const prepared_request& what, std::string_view argument,
                 const call_options& options) noexcept
      : owner_(owner), request_(what), argument_(argument), options_(options) {}
  ~call_operation() = default;

  /// The result as bytes. errc::remote is the other side's own error, errc::protocol an answer that is none;
  /// `executed` of any other error says whether the request can have reached anybody.
  result<raw_json> await_resume();

 private:
  friend class peer;
  void start() override;
  void cancel() noexcept override;
  void on_expired() noexcept override;
  void finish(const message_view& message) noexcept;
  void finish(error why) noexcept;
  execution give_up(std::string_view reason) noexcept;
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
  time_point last_sign_;  // of life: when it was sent, or progress arrived
  std::optional<double> last_progress_;
  time_point progress_second_;
  int progress_count_ = 0;
};

}  // namespace hawser
