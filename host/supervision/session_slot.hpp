// SPDX-License-Identifier: MIT
// The place of a server's current session, and the server's state as callers see it. The supervisor opens and closes
// sessions here; calls take the session from here, or wait for a change.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "../status.hpp"
#include "configured_server.hpp"
#include "server_channel.hpp"

namespace hawser {

class session_slot {
 public:
  explicit session_slot(const configured_server& server) : server_(server) {}
  session_slot(const session_slot&) = delete;
  session_slot& operator=(const session_slot&) = delete;
  ~session_slot() = default;

  /// Null: there is no session. Calls take one only if accepts_calls().
  [[nodiscard]] session* current() const noexcept { return session_.get(); }
  [[nodiscard]] bool accepts_calls() const noexcept { return stage_ == stage::accepting; }
  /// No session comes any more.
  [[nodiscard]] bool finished() const noexcept { return stage_ == stage::finished; }
  /// Whether waiting for changed() may lead to a session. `ready` without accepts_calls() means that the connection has
  /// just ended and the next state is not decided yet.
  [[nodiscard]] bool is_session_expected() const noexcept {
    return state_ == server_state::starting || state_ == server_state::ready;
  }
  /// Why there is no session.
  [[nodiscard]] error unavailable_error() const;
  /// Set with every change of the state; for callers that wait for one.
  [[nodiscard]] event& changed() noexcept { return changed_; }

  [[nodiscard]] server_state state() const noexcept { return state_; }
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }
  [[nodiscard]] const std::string& advice() const noexcept { return advice_; }
  /// Why the last session ended, or could not be opened.
  [[nodiscard]] const std::optional<error>& ended() const noexcept { return ended_; }
  /// Of the last session; the revision is empty before the first.
  [[nodiscard]] const negotiated_peer& negotiated() const noexcept { return negotiated_; }
  /// What a starting server waits for: "turn", "connection", or the method of a request.
  [[nodiscard]] std::string phase() const;
  [[nodiscard]] bool has_process() const noexcept { return process_ != nullptr; }
  [[nodiscard]] int pid() const noexcept { return process_ != nullptr ? process_->pid() : 0; }
  /// How many lines on stdout were not messages.
  [[nodiscard]] std::uint64_t noise() const noexcept {
    return process_ != nullptr ? process_->reader().noise() : last_noise_;
  }
  /// Without configured secrets; of the last process, if none is running.
  [[nodiscard]] std::string stderr_tail() const;

  /// Negotiates a session over the channel. errc::timed_out at `deadline` says what was not answered.
  task<result<void>> open(server_channel opened_channel, session_listener& listener, session::open_mode mode,
                          time_point deadline);
  void accept_calls() noexcept { stage_ = stage::accepting; }
  void on_session_closed(const error& why);
  void set_ended(error why) { ended_ = std::move(why); }
  void set_revision(std::string revision) { negotiated_.revision = std::move(revision); }
  void keep_negotiated() { negotiated_ = session_->negotiated(); }
  /// Ends the session, if any; its process has ended on return. Not cut short by a stop.
  task<void> close();
  void finish();
  void set_state(server_state state, std::string reason = {}, std::string advice = {});

 private:
  enum class stage : std::uint8_t {
    empty,
    opening,    ///< from the channel until the tools are listed
    accepting,  ///< ready for calls
    closed,     ///< the session has ended and is still to be closed
    finished,
  };

  const configured_server& server_;
  stage stage_ = stage::empty;
  std::unique_ptr<session> session_;
  stdio_channel* process_ = nullptr;  // owned by the session's channel
  server_state state_ = server_state::stopped;
  std::string reason_;
  std::string advice_;
  event changed_;
  std::optional<error> ended_;
  negotiated_peer negotiated_;
  std::string last_stderr_;
  std::uint64_t last_noise_ = 0;
};

}  // namespace hawser
