// SPDX-License-Identifier: MIT
// One server as the hub uses it: its calls, its login, its status. Supervision is done by `supervisor`; servers are
// independent of each other.
#pragma once

#include <string>
#include <string_view>

#include "../request_options.hpp"
#include "../status.hpp"
#include "configured_server.hpp"
#include "session_slot.hpp"
#include "supervisor.hpp"
#include "tool_lister.hpp"
#include "tool_reference.hpp"
#include "tool_rows.hpp"

namespace hawser {

class server final : private session_listener {
 public:
  /// `connect` makes the channel of a server that is neither stdio nor HTTP; otherwise it is empty.
  server(const server_context& shared_context, server_settings settings, server_id id, channel_maker connect);
  server(const server&) = delete;
  server& operator=(const server&) = delete;
  ~server() = default;

  /// Supervises until stopped; on return all resources of the server are released.
  task<void> run() { return supervisor_.run(); }
  /// Instead of run(), where its hub was never opened: waiting callers learn that no session comes.
  void end_unstarted() { supervisor_.end_unstarted(); }

  [[nodiscard]] server_id id() const noexcept { return configured_.id(); }
  [[nodiscard]] const std::string& name() const noexcept { return configured_.name(); }
  [[nodiscard]] server_status status() const;
  [[nodiscard]] std::string stderr_tail() const { return slot_.stderr_tail(); }
  [[nodiscard]] bool settled() const noexcept { return supervisor_.settled(); }
  /// Set with every change of the state; for callers that wait for one.
  [[nodiscard]] event& changed() noexcept { return slot_.changed(); }

  /// errc::config if the server is disabled.
  result<void> restart() { return supervisor_.restart(); }
  /// Starts a lazy server whose tools are not in the cache.
  void start_if_unlisted() { supervisor_.start_if_unlisted(); }
  /// Starts a lazy server, and waits while it starts. The session is valid until the next suspension. An error says why
  /// there is no session; nothing was executed.
  task<result<session*>> wait_for_session();
  /// As wait_for_session(). If the server announced a tool change and `access` depends on tool annotations, also waits
  /// until the tools are listed again. Call admits_call() afterwards.
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
  task<result<void>> subscribe(std::string uri);
  task<result<void>> unsubscribe(std::string uri);
  task<result<void>> set_log_level(std::string level);
  result<void> notify(std::string_view method, std::string_view params);
  /// Runs an interactive login and waits until the server is ready. If the server requires no login, the summary has no
  /// issuer.
  task<result<login_summary>> authenticate(login_options options, login_ui& person);
  task<result<logout_report>> log_out();
  /// The server's own limits apply where the caller sets none.
  [[nodiscard]] call_options options_for(const request_options& request) const;
  [[nodiscard]] error annotated(error why, std::string_view phase) const {
    return configured_.annotated(std::move(why), phase);
  }

 private:
  task<result<semaphore::permit>> acquire_call_slot();
  error with_login_error(error why);
  [[nodiscard]] negotiated_peer redacted_peer() const;
  [[nodiscard]] std::string redacted_json_text(std::string_view json) const;

  void on_list_changed(list_kind list) override;
  void on_resource_updated(std::string_view uri) override;
  void on_log_message(std::string_view level, std::string_view data) override;
  result<void> on_tools_relisted(std::string_view tool, const tool_listing& listing) override;
  task<result<void>> admits_retry(std::string tool) override;
  void on_other_notification(std::string_view method, std::string_view params) override;
  void on_session_closed(const error& why) override { supervisor_.on_session_closed(why); }

  configured_server configured_;
  session_slot slot_;
  tool_rows rows_;
  tool_lister lister_;
  supervisor supervisor_;
  semaphore calls_;
};

}  // namespace hawser
