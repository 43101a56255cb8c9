// SPDX-License-Identifier: MIT
// JSON-RPC over a channel, in both directions: calls and their responses, progress, cancellation, and requests and
// notifications from the remote side. Contains nothing about tools or sessions.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "call_operation.hpp"
#include "channel.hpp"
#include "pending_calls.hpp"
#include "responder.hpp"

namespace hawser {

struct peer_limits {
  std::size_t max_pending = 1024;   ///< outgoing calls that await a response
  std::size_t max_incoming = 1024;  ///< requests from the remote side that are not answered yet
  /// Limit for unsent bytes; beyond it, calls are refused, and responses and notifications dropped.
  std::size_t max_queued = max_unsent;
  std::size_t max_id = 1024;                           ///< bytes of the id of a request from the remote side
  std::size_t max_error_text = std::size_t{4} * 1024;  ///< of an error message from the remote side; the rest is cut
};

/// Counts of unexpected input. None of it ends the connection.
struct peer_counters {
  std::uint64_t malformed = 0;    ///< not a JSON-RPC 2.0 message
  std::uint64_t unknown_ids = 0;  ///< responses to requests that were never sent
  std::uint64_t late = 0;         ///< second responses, and responses to abandoned calls
  std::uint64_t text_ids = 0;     ///< responses whose id came back as a string; accepted
  std::uint64_t progress = 0;     ///< for no pending call, not increasing, or too often
  std::uint64_t refused = 0;      ///< requests from the remote side beyond a limit, or with an id in use
  std::uint64_t unsent = 0;       ///< responses and notifications dropped because the remote side does not read
  std::uint64_t forbidden = 0;    ///< requests in a revision in which a server must not send any; not answered
};

/// The events of a peer. Called from inside the loop; views are valid during the call. An exception is logged; the
/// request that it was thrown for is answered with an internal error.
class peer_listener {
 public:
  /// The default responds that there is no such method.
  virtual void on_request(std::string_view method, std::string_view params, responder answer);
  virtual void on_notification(std::string_view /*method*/, std::string_view /*params*/) {}
  virtual void on_reset(const error& /*why*/) {}
  /// The last callback; every pending call has ended by now.
  virtual void on_closed(const error& /*why*/) {}

 protected:
  ~peer_listener() = default;
};

class peer final : public receiver {
 public:
  /// All three outlive the peer. It is destroyed after its channel was closed and its last call has ended.
  peer(loop& home, channel& to, peer_listener& listener, peer_limits limits = {});
  peer(const peer&) = delete;
  peer& operator=(const peer&) = delete;
  ~peer();

  /// All arguments must live until the await returns. `argument` is valid JSON, or empty.
  [[nodiscard]] call_operation call(const prepared_request& what, std::string_view argument,
                                    const call_options& options) noexcept {
    return {*this, what, argument, options};
  }
  /// `about`: as in outgoing.
  void notify(std::string_view method, std::string_view params = {}, std::string_view about = {});

  /// Stores the result of negotiation and passes it to the channel. A client of the modern era answers no requests, not
  /// even earlier ones: its server must not send any.
  void negotiated(const peer_info& info, bool answers_requests);
  /// No traffic is expected for a while: memory that is kept for speed is released.
  void trim() noexcept;

  /// While this object exists, the remote side waits for a response from us, possibly from a user, and the idle timeout
  /// of every call is suspended; afterwards it starts again.
  class idle_timeout_pause {
   public:
    explicit idle_timeout_pause(peer& of) noexcept : of_(of) { ++of_.timeout_pauses_; }
    idle_timeout_pause(const idle_timeout_pause&) = delete;
    idle_timeout_pause& operator=(const idle_timeout_pause&) = delete;
    ~idle_timeout_pause() {
      --of_.timeout_pauses_;
      of_.pause_ended_ = of_.loop_.now();
    }

   private:
    peer& of_;
  };

  [[nodiscard]] const peer_counters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::size_t pending() const noexcept { return calls_.size(); }

 private:
  friend class call_operation;
  friend class responder;
  using incoming_ref = std::shared_ptr<detail::incoming_request>;
  struct by_id {
    using is_transparent = void;
    bool operator()(const incoming_ref& a, const incoming_ref& b) const noexcept { return a->id < b->id; }
    bool operator()(const incoming_ref& a, const request_id& b) const noexcept { return a->id < b; }
    bool operator()(const request_id& a, const incoming_ref& b) const noexcept { return a < b->id; }
  };
  using incoming_set = std::set<incoming_ref, by_id>;

  void on_message(const message_view& message) noexcept override;
  void on_request_failed(std::int64_t request, error why) noexcept override;
  void on_reset(error why) noexcept override;
  void on_closed(error why) noexcept override;

  void on_answer(const message_view& message);
  void on_unusable(const message_view& message);
  void on_incoming(const message_view& message);
  bool ends_echoed_call(const message_view& message);
  void on_note(const message_view& message);
  void on_progress(std::string_view params);
  void on_cancelled(std::string_view params);
  void notified(std::string_view method, std::string_view params);
  call_operation* answered_call(const message_view& message);
  void count(std::uint64_t& counter, std::string_view what);
  void send_line(const outgoing_message& message);
  void answer_with(const request_id& id, std::string line, int failure = 0);
  void forget(const detail::incoming_request& answered) noexcept;

  loop& loop_;
  channel& channel_;
  peer_listener& listener_;
  peer_limits limits_;
  pending_calls calls_;
  std::string line_;                // the request being sent; its memory is reused
  std::size_t queued_ = 0;          // by the channel, at the last send()
  std::size_t timeout_pauses_ = 0;  // responses that are being prepared
  time_point pause_ended_;          // when the last of them was done
  bool answers_requests_ = true;
  std::string revision_;  // empty: not negotiated yet
  std::unique_ptr<error> closed_;
  incoming_set incoming_;  // looked up by ids that the remote side chose
  peer_counters counters_;
};

}  // namespace hawser
