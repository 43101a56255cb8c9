// SPDX-License-Identifier: MIT
// Starts one server when it is needed, keeps its session working, and starts it again when it ends. The session itself
// is in session_slot, where callers find it; when to restart is decided with restart_backoff.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "era_history.hpp"
#include "restart_backoff.hpp"
#include "session_slot.hpp"
#include "tool_lister.hpp"
#include "tool_rows.hpp"

namespace hawser {

class supervisor {
 public:
  /// `listener` gets the notifications of every session; its owner passes on_session_closed() on to this object.
  supervisor(const configured_server& server, session_slot& slot, tool_rows& rows, tool_lister& lister,
             session_listener& listener);
  supervisor(const supervisor&) = delete;
  supervisor& operator=(const supervisor&) = delete;
  ~supervisor() = default;

  /// Supervises until stopped; on return all resources of the server are released.
  task<void> run();
  /// Instead of run(), where its hub was never opened: waiting callers learn that no session comes.
  void end_unstarted() { slot_.finish(); }

  /// errc::config if the server is disabled.
  result<void> restart();
  /// Sets the state of an idle lazy server to `starting`, so that callers wait for it.
  void start_if_idle();
  /// Starts a lazy server whose tools are not in the cache.
  void start_if_unlisted();
  /// Whether the server is not starting any more.
  [[nodiscard]] bool settled() const noexcept {
    return slot_.finished() || (slot_.state() != server_state::starting && cache_loaded_);
  }
  /// Since the server was added.
  [[nodiscard]] std::size_t restarts() const noexcept { return starts_ > 0 ? starts_ - 1 : 0; }

  /// Something that run() acts on has changed: the login, or the list of tools.
  void wake_up() noexcept { wake_.set(); }
  /// A call timed out or lost its connection: a ping tells whether the session still works.
  void check_connection() noexcept;
  void on_session_closed(const error& why);

  /// Restored after every restart.
  void set_subscribed(const std::string& uri, bool subscribed);
  void set_log_level(std::string level) { log_level_ = std::move(level); }

 private:
  // Why run() starts the server next.
  enum class start_request : std::uint8_t {
    none,     // a lazy server, not used yet
    needed,   // started, and started again according to the backoff
    restart,  // at once; interrupts the session in progress
  };
  // How serve_once() ended.
  struct session_end {
    error why;
    bool expired = false;  // the server no longer recognises the session
  };
  // What to do after a session has ended; the default is an immediate restart.
  struct restart_decision {
    bool given_up = false;
    duration pause{};
  };

  [[nodiscard]] bool restart_requested() const noexcept { return request_ == start_request::restart; }
  task<void> load_cache();
  task<void> save_cache();
  task<session_end> serve_once();
  task<result<void>> start();
  task<result<void>> open_session(session::open_mode mode);
  task<result<void>> make_ready();
  task<result<void>> list_in_time();
  task<result<void>> watch_session();
  task<result<void>> ping_in_time();
  restart_decision decide_restart(const error& why);
  void on_busy(std::string_view method, int status, duration pause);
  task<void> wait_until(std::optional<time_point> due);
  task<result<void>> wait_for_wake();
  task<result<void>> wait_for_restart_request();
  task<result<void>> unless_restarted(task<result<void>> inner);

  const configured_server& server_;
  session_slot& slot_;
  tool_rows& rows_;
  tool_lister& lister_;
  session_listener& listener_;
  restart_backoff backoff_;
  era_history era_;
  start_request request_ = start_request::none;
  event wake_;         // wakes run()
  event restart_now_;  // interrupts waits on an unresponsive server
  bool cache_loaded_ = false;
  bool needs_ping_ = false;
  std::size_t starts_ = 0;
  time_point start_deadline_;  // of the start in progress
  std::optional<time_point> last_expired_;
  std::set<std::string> subscriptions_;
  std::string log_level_;
};

}  // namespace hawser
