// SPDX-License-Identifier: MIT
// The answer to one HTTP request, made of messages: a JSON body where the first of them is all there is to say, else a
// stream of events. Knows nothing of sessions.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "../runtime/event.hpp"
#include "../transports/http_call.hpp"
#include "../transports/message.hpp"

namespace hawser {

/// What the replies of one channel have not sent yet, together.
struct reply_tally {
  std::size_t queued = 0;  ///< bytes
  event moved;             ///< set whenever it becomes less
};

class http_reply {
 public:
  enum class form : std::uint8_t { whole_if_possible, events };
  /// `expected`: the ids, as JSON, of the requests whose answers end it. None: it goes on until somebody ends it.
  explicit http_reply(std::set<std::string, std::less<>> expected, form as = form::whole_if_possible)
      : expected_(std::move(expected)), endless_(expected_.empty()), form_(as) {}
  http_reply(const http_reply&) = delete;
  http_reply& operator=(const http_reply&) = delete;
  ~http_reply() { count_in(nullptr); }

  /// The ids that were not answered yet.
  [[nodiscard]] const std::set<std::string, std::less<>>& expected() const noexcept { return expected_; }
  /// Whether this request of ours was sent here.
  [[nodiscard]] bool has_asked(std::int64_t request) const noexcept;
  /// Never waits. What comes after the end is dropped.
  void add(const outgoing& message);
  /// Nothing more will come.
  void end() noexcept;
  /// Bytes that the system has not taken.
  [[nodiscard]] std::size_t queued() const noexcept { return queued_; }
  /// Its bytes are counted there from now on, as long as both live; null: nowhere.
  void count_in(reply_tally* tally) noexcept;

  struct manner {
    http_fields fields{};                            ///< of an answer that is no error
    duration keep_alive = std::chrono::seconds{15};  ///< so often a silent stream shows that it lives
    bool statuses = false;                           ///< errors have the status that 2026-07-28 gives them
  };
  /// Until everything is said or the client is gone. Where nothing came before the end, nothing is sent, either.
  task<void> write(http_call& call, const manner& how);

 private:
  struct piece {
    std::string line;
    bool answers;
    int failure;
  };
  [[nodiscard]] bool over() const noexcept { return ended_ || (!endless_ && expected_.empty()); }
  void taken(std::size_t bytes) noexcept;
  static void begin(http_call& call, const manner& how);
  static void reply(http_call& call, const piece& all, const manner& how);
  task<bool> more(http_call& call, const manner& how);

  std::set<std::string, std::less<>> expected_;
  bool endless_;
  form form_;
  bool ended_ = false;
  std::deque<piece> waiting_;
  std::vector<std::int64_t> asked_;
  std::size_t queued_ = 0;
  reply_tally* tally_ = nullptr;
  event changed_;
};

}  // namespace hawser
