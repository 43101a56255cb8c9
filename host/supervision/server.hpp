// SPDX-License-Identifier: MIT
// Supervises one configured server: starts it, negotiates, lists its tools, serves calls, and restarts it when it ends.
// Manages its own rows in the registry and is independent of other servers.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "../../transports/stdio/stdio_channel.hpp"
#include "../request_options.hpp"
#include "../status.hpp"
#include "restart_backoff.hpp"
#include "server_context.hpp"
#include "tool_reference.hpp"

namespace hawser {

using channel_maker = std::function<std::unique_ptr<channel>()>;

class server final : private session_listener {
 public:
  /// `connect` makes the channel of a server that is neither stdio nor HTTP; otherwise it is empty.
  server(const server_context& shared_context, server_settings settings, server_id id, channel_maker connect);
  server(const server&) = delete;
  server& operator=(const server&) = delete;
  ~server() = default;

  /// Supervises until stopped; on return all resources of the server are released.
  task<void> run();

  [[nodiscard]] server_id id() const noexcept { return id_; }
  [[nodiscard]] const std::string& name() const noexcept { return settings_.name; }
  [[nodiscard]] server_status status() const;
  [[nodiscard]] std::string stderr_tail() const;
  [[nodiscard]] bool settled() const noexcept {
    return finished_ || (state_ != server_state::starting && cache_loaded_);
  }
  /// Instead of run(), where its hub was never opened: whoever waits for it is told.
  void end_unstarted();
  /// Changes with every change of state; for who waits for one.
  [[nodiscard]] event& changed() noexcept { return changed_; }

  /// errc::config if the server is disabled.
  result<void> restart();
  /// Starts a lazy server whose tools are not in the cache.
  void start_if_unlisted();
  /// Starts a lazy server, and waits while it starts. The session is valid until the next suspension. An error says why
  /// there is no session; nothing was executed.
  task<result<session*>> wait_for_session();
  /// As connected(). If the server announced a tool change and `access` depends on tool annotations, also waits until
  /// the tools are listed again. Call admits_call() afterwards.
  task<result<session*>> wait_for_session_with_tools();
  /// Waits until the tools are listed. An error says why they are not, even if the server accepts calls.
  task<result<void>> wait_for_tools();

  /// Applies the server's concurrency limit; every error names the server. The target is resolved again after every
  /// wait and updated to the current table; errc::tool_unknown if it is no longer listed or not admitted. The limits
  /// count from `began`, when the caller began to wait.
  task<result<raw_json>> call_tool(tool_reference& target, std::string arguments, call_options options,
                                   time_point began);
  /// Whether the configuration (`tools` patterns and `access`) admits a call of this tool, based on the server's
  /// current annotations. Requires a connected server.
  [[nodiscard]] result<void> admits_call(std::string_view tool) const override;
  task<result<void>> subscribe(std::string uri, bool wanted);
  task<result<void>> set_log_level(std::string level);
  result<void> notify(std::string_view method, std::string_view params);
  /// Runs an interactive login and waits until the server is ready. If the server requires no login, the summary has no
  /// issuer.
  task<result<login_summary>> authenticate(login_options wish, login_ui& person);
  task<result<logout_report>> log_out();
  /// The server's own limits apply where the caller sets none.
  [[nodiscard]] call_options options_for(const request_options& settings) const;
  [[nodiscard]] error annotated(error e, std::string_view phase) const;

 private:
  // Tools of a list that could not be read.
  struct skipped_tools {
    std::size_t count = 0;
    std::vector<omitted_tool> described{};
  };

  // What to do after a session has ended; the default is an immediate restart.
  struct restart_decision {
    bool given_up = false;
    duration pause{};
  };

  task<result<semaphore::permit>> acquire_call_slot();
  [[nodiscard]] error no_login_error() const;
  error with_login_error(error why);

  void on_list_changed(list_kind which) override;
  void on_resource_updated(std::string_view uri) override;
  void on_log_message(std::string_view level, std::string_view data) override;
  result<void> on_tools_relisted(std::string_view tool, const tool_listing& listing) override;
  task<result<void>> admits_retry(std::string tool) override;
  void on_other_notification(std::string_view method, std::string_view params) override;
  void on_session_closed(const error& why) override;

  void on_busy(std::string_view method, int status, duration pause);

  void set_state(server_state state, std::string reason = {}, std::string advice = {});
  void wake_up();
  task<void> load_cache();
  task<void> save_cache();
  task<result<void>> serve_once();
  task<result<void>> open_session(session::open_mode how);
  task<result<void>> start();
  task<result<void>> make_ready();
  task<result<void>> relist();
  task<result<void>> list_now();
  [[nodiscard]] bool outdated() const;
  task<result<void>> list_in_time();
  [[nodiscard]] negotiated_peer redacted_peer() const;
  [[nodiscard]] std::string redacted_text(std::string_view json) const;
  void take_listing(const tool_listing& listing);
  task<result<void>> watch_session();
  task<result<void>> ping_in_time();
  task<void> end_session();
  restart_decision decide_restart(const error& why);
  [[nodiscard]] std::string phase() const;
  [[nodiscard]] std::string origin_text() const;
  [[nodiscard]] std::string enable_advice() const;
  [[nodiscard]] std::string correction_advice(const error& why) const;
  task<void> wait_until(std::optional<time_point> due);
  task<result<void>> wait_for_wake();
  task<result<void>> wait_for_restart_request();
  task<result<void>> unless_restarted(task<result<void>> inner);
  void drop_rows();
  task<result<std::unique_ptr<channel>>> make_channel();
  [[nodiscard]] session::open_mode choose_open_mode() const;
  void note_era();
  void publish(const std::shared_ptr<const tool_list>& listed, skipped_tools unusable);
  void set_availability(availability state);
  [[nodiscard]] std::shared_ptr<const tool_list> admitted(const std::shared_ptr<const tool_list>& listed) const;
  [[nodiscard]] result<void> resolve(tool_reference& target) const;

  const server_context& context_;
  server_settings settings_;
  server_id id_;
  channel_maker connect_;
  std::unique_ptr<server_login> login_;  // null: the server has no login
  tool_filter filter_;
  semaphore calls_;
  restart_backoff backoff_;
  server_state state_ = server_state::stopped;
  std::string reason_;
  std::string advice_;
  event changed_;
  event wake_;  // wakes run()
  bool needed_ = false;
  bool restart_ = false;
  bool finished_ = false;         // run() has returned
  bool session_expired_ = false;  // the server no longer recognises the session
  std::optional<time_point> last_expired_;
  event restart_now_;        // interrupts waits on an unresponsive server
  bool needs_ping_ = false;  // a call timed out: check with a ping
  bool cache_loaded_ = false;
  std::optional<std::int64_t> legacy_since_;  // when the legacy era was detected: seconds since 1970
  std::int64_t last_probed_ = 0;              // when the server last answered the era probe; 0 = never
  time_point start_due_;                      // deadline of the start in progress
  std::optional<time_point> rows_until_;      // when the rows of an ended server are removed
  std::optional<time_point> changed_first_;   // first list change since the last listing
  time_point changed_last_;
  std::unique_ptr<session> session_;
  stdio_channel* process_ = nullptr;  // owned by the session's channel
  bool accepts_ = false;              // the session is ready for calls
  std::optional<error> ended_;        // why the session ended
  negotiated_peer negotiated_;
  std::shared_ptr<const tool_list> tools_to_cache_;
  bool listed_ = false;                           // the tools were listed since the last start
  std::uint64_t listed_changes_ = 0;              // session::tool_changes() when that list was read
  bool listing_ = false;                          // a listing is in progress
  std::uint64_t failed_listings_ = 0;             // since the program started
  std::optional<error> list_failure_;             // why the tools are not listed
  std::shared_ptr<const tool_list> admitted_;     // the listed tools that the configuration admits
  std::vector<std::string_view> admitted_names_;  // their names, sorted
  std::size_t rows_ = 0;
  std::size_t refused_ = 0;
  std::vector<omitted_tool> omitted_;
  std::size_t starts_ = 0;
  std::string last_errors_;
  std::uint64_t last_noise_ = 0;
  std::set<std::string> subscriptions_;
  std::string log_level_;
};

}  // namespace hawser
