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
#include "unread_bytes.hpp"

namespace hawser {

class http_reply {
 public:
  enum class form : std::uint8_t { whole_if_possible, events };
  /// `expected`: the ids, as JSON, of the requests whose answers end it. None: it goes on until somebody ends it.
  explicit http_reply(std::set<std::string, std::less<>> expected, form as = form::whole_if_possible)
      : expected_(std::move(expected)), endless_(expected_.empty()), form_(as) {}
  http_reply(const http_reply&) = delete;
  http_reply& operator=(const http_reply&) = delete;
  ~http_reply() { count_in(nullptr); }

  /// The ids that were neither answered nor cancelled yet.
  [[nodiscard]] const std::set<std::string, std::less<>>& expected() const noexcept { return expected_; }
  /// This one will not be answered.
  void expect_no_more(std::string_view id) noexcept;
  /// Requests of ours that were sent here, for whoever finds replies by them.
  [[nodiscard]] const std::vector<std::int64_t>& asked() const noexcept { return asked_; }
  void note_asked(std::int64_t request) { asked_.push_back(request); }
  /// Never waits. What comes after the end is dropped.
  void add(const outgoing& message);
  /// Nothing more will come.
  void end() noexcept;
  /// The same, and nobody reads what waits.
  void drop() noexcept;
  /// Bytes that the system has not taken.
  [[nodiscard]] std::size_t queued() const noexcept { return queued_; }
  /// Its bytes are counted there from now on, as long as both live; null: nowhere.
  void count_in(unread_bytes* unread) noexcept;

  struct manner {
    http_fields fields{};                            ///< of an answer that is no error
    duration keep_alive = std::chrono::seconds{15};  ///< so often a silent stream shows that it lives
    bool statuses = false;                           ///< errors have the status that 2026-07-28 gives them
  };
  /// Until the system has taken everything or the client is gone. Where nothing came before the end, nothing is sent,
  /// either.
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
  static void reply(http_call& call, piece all, const manner& how);
  task<bool> more(http_call& call, const manner& how);

  std::set<std::string, std::less<>> expected_;
  bool endless_;
  form form_;
  bool ended_ = false;
  std::deque<piece> waiting_;
  std::vector<std::int64_t> asked_;
  std::size_t queued_ = 0;
  unread_bytes* unread_ = nullptr;
  event changed_;
};

}  // namespace hawser
