// SPDX-License-Identifier: MIT
// JSON-RPC over a channel, both directions: calls and their answers, progress, cancellation, the other side's requests
// and notifications. Knows nothing of tools or sessions.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "call_operation.hpp"
#include "channel.hpp"
#include "in_flight.hpp"
#include "responder.hpp"

namespace hawser {

struct peer_limits {
  std::size_t max_pending = 1024;       ///< calls of ours that wait
  std::size_t max_incoming = 1024;      ///< requests of the other side that nobody answered yet
  std::size_t max_queued = max_unsent;  ///< bytes that the system has not taken; beyond, calls are refused and answers
                                        ///< and notifications dropped
  std::size_t max_id = 1024;            ///< bytes of the id of a request of the other side
  std::size_t max_error_text = std::size_t{4} * 1024;  ///< of an error of the other side; the rest is cut
};

/// What came that should not have come. Nothing of it ends the connection.
struct peer_counters {
  std::uint64_t malformed = 0;    ///< no message of JSON-RPC 2.0
  std::uint64_t unknown_ids = 0;  ///< answers to what was never asked
  std::uint64_t late = 0;         ///< second answers, and answers to calls that were given up
  std::uint64_t text_ids = 0;     ///< answers whose number came back as a string; accepted
  std::uint64_t progress = 0;     ///< about nothing, backwards, or too often
  std::uint64_t refused = 0;      ///< requests of the other side beyond a limit, or with an id in use
  std::uint64_t unsent = 0;       ///< answers and notifications that it left unread too long
  std::uint64_t forbidden = 0;    ///< requests in a revision in which a server may not ask; not answered
};

/// What the user of a peer hears of. Called from inside the loop; views are valid during the call. An exception is
/// logged; the request that it was thrown for is answered with an internal error.
class peer_listener {
 public:
  /// The default answers that there is no such method.
  virtual void on_request(std::string_view method, std::string_view params, responder answer);
  virtual void on_notification(std::string_view /*method*/, std::string_view /*params*/) {}
  virtual void on_reset(const error& /*why*/) {}
  /// The last call; every pending call has ended by now.
  virtual void on_closed(const error& /*why*/) {}

 protected:
  ~peer_listener() = default;
};

class peer final : public receiver {
 public:
  /// All three live longer than the peer; it dies after its channel was closed and its last call has ended.
  peer(loop& home, channel& to, peer_listener& listener, peer_limits limits = {});
  peer(const peer&) = delete;
  peer& operator=(const peer&) = delete;
  ~peer();

  /// Everything given to it lives until the await returns. `argument` is valid JSON, or empty.
  [[nodiscard]] call_operation call(const prepared_request& what, std::string_view argument,
                                    const call_options& options) noexcept {
    return {*this, what, argument, options};
  }
  /// `about`: as in outgoing.
  void notify(std::string_view method, std::string_view params = {}, std::string_view about = {});

  /// What the two sides agreed on, for the channel, too. A client of the modern era answers nothing, not even what came
  /// before: its server may not ask.
  void negotiated(const peer_info& info, bool answers_requests);
  /// Nothing is expected for a while: memory that is kept for speed is given back.
  void rest() noexcept;

  /// As long as it lives, the other side waits for an answer of ours, a person's perhaps, and may be silent about every
  /// call; afterwards its time begins anew.
  class owed_answer {
   public:
    explicit owed_answer(peer& of) noexcept : of_(of) { ++of_.owed_; }
    owed_answer(const owed_answer&) = delete;
    owed_answer& operator=(const owed_answer&) = delete;
    ~owed_answer() {
      --of_.owed_;
      of_.last_answer_ = of_.loop_.now();
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
  void send_line(const outgoing& message);
  void answer_with(const request_id& id, std::string line, int failure = 0);
  void forget(const detail::incoming_request& answered) noexcept;

  loop& loop_;
  channel& channel_;
  peer_listener& listener_;
  peer_limits limits_;
  in_flight calls_;
  std::string line_;        // of the request that is being sent; its memory is kept
  std::size_t queued_ = 0;  // by the channel, when it was last sent something
  std::size_t owed_ = 0;    // answers that somebody is working on
  time_point last_answer_;  // when the last of them was given
  bool answers_requests_ = true;
  std::string revision_;  // empty: not negotiated yet
  std::unique_ptr<error> closed_;
  incoming_set incoming_;  // found by ids that the other side chose
  peer_counters counters_;
};

}  // namespace hawser
