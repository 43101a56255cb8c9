// SPDX-License-Identifier: MIT
// The host as coroutines: many servers, one sorted tool table, calls by tool name. Loop thread only; `host` is the
// interface for other threads.
#pragma once

#include <boost/json/array.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../oauth/server_login.hpp"
#include "../registry/registry.hpp"
#include "../runtime/async/task.hpp"
#include "../runtime/io/dns.hpp"
#include "../transports/jsonrpc/channel.hpp"
#include "config/settings.hpp"
#include "login_callbacks.hpp"
#include "request_options.hpp"
#include "result/envelope.hpp"
#include "session/input_handlers.hpp"
#include "session/session_listener.hpp"
#include "status.hpp"

namespace hawser {

/// A function of the embedding program, registered as a tool.
struct native_tool {
  std::string name{};  ///< listed unchanged; add_tool() refuses a name that would have to be changed
  std::string description{};
  std::string input_schema = R"({"type":"object"})";  ///< a JSON object as text
  std::string output_schema{};                        ///< the same, or empty
  tool_hints hints{};
  /// Replies when it has a result; dropping the reply means failure. An exception becomes an isError result with the
  /// exception's text.
  std::function<void(boost::json::object, reply<envelope>)> function{};
};

/// Exceptions from these callbacks are logged with the callback's name unless stated otherwise.
struct hub_options {
  input_handlers input{};
  implementation identity{};                            ///< empty name = Hawser's own
  executor callbacks{};                                 ///< runs the input handlers and native tools
  executor tool_executor{};                             ///< runs native tools instead, if set
  std::function<void(const host_change&)> on_change{};  ///< on the loop thread
  std::string cache_folder{};                           ///< disk cache of tools and eras; empty = no cache
  std::string login_file{};            ///< credential file, see default_store_path(); empty = in memory
  credential_store* logins = nullptr;  ///< used instead of login_file; must outlive the hub
  bool all_lazy = false;               ///< starts every server only on first use
  bool allow_spawn = true;
  bool allow_network = true;
  resolver* names = nullptr;  ///< for HTTP servers; null = the system's DNS servers; must outlive the hub
  /// Every message of every server, in the format of recording_channel. Configured secrets are redacted.
  std::function<void(std::string_view server, std::string_view line)> trace{};
};

namespace detail {
struct hub_core;
}

class hub {
 public:
  hub(loop& event_loop, host_settings settings, hub_options options = {});
  hub(const hub&) = delete;
  hub& operator=(const hub&) = delete;
  ~hub();

  /// Starts the servers in the background; a server's failure is reported in its status. Ended by close(), not by a
  /// stop.
  task<result<void>> open();
  /// Ends all calls, stops the servers with their shutdown timeouts and joins everything. Idempotent; not cut short by
  /// a stop.
  task<result<void>> close();
  /// Waits until no server is starting any more.
  task<result<void>> settled();

  [[nodiscard]] const registry& table() const noexcept;
  [[nodiscard]] table_ref tools() const { return table().table(); }

  /// `arguments` is a JSON object as text. Looks up the name in the current table, and again if the call had to wait
  /// for a start; errc::tool_unknown if `access` or `tools` no longer admit it. While a server that could expose the
  /// name is starting, waits for it within the timeout; starts a lazy server. errc::tool_unknown says why such a server
  /// has no tools.
  task<result<envelope>> call(std::string name, std::string arguments, request_options request = {});
  /// Calls the tool of a row from a held table, whatever tool has the name now. errc::server_gone if its server was
  /// removed, errc::tool_unknown if the server's configuration does not admit the tool.
  task<result<envelope>> call(server_id server, std::string tool, std::string arguments, request_options request = {});

  /// errc::config if it has no function, if a schema is not a JSON object, if the input schema is not for an object, or
  /// if the name is taken or unusable for models: see write_exposed_name().
  result<void> add_tool(native_tool added);
  bool remove_tool(std::string_view name);

  /// errc::config if the name is taken.
  result<server_id> add_server(server_settings added);
  /// For a server reached through the embedder's own channel; `connect` is called on every start.
  result<server_id> add_server(server_settings added, std::function<std::unique_ptr<channel>()> connect);
  task<result<void>> remove_server(std::string name);
  /// Stops the server if it is running and starts it again, also after a failure; does not wait until it is ready.
  result<void> restart(std::string_view name);
  /// Starts a lazy server and waits until it is ready for calls; an error says why it is not.
  task<result<void>> ready(std::string name);
  /// As ready(), and waits until the tools are listed. Fails if the list could not be read, even if the server is ready
  /// for calls.
  task<result<void>> listed(std::string name);
  /// Runs an interactive login to an HTTP server and waits until the server is ready. This is the only function that
  /// involves a person: until then, a server that requires a login is in server_state::needs_auth. If the server
  /// requires no login, the summary has no issuer.
  task<result<login_summary>> authenticate(std::string server, login_options options, login_ui& person);
  /// As above, with callbacks.
  task<result<login_summary>> authenticate(std::string server, login_callbacks callbacks);
  /// Removes the server's tokens, and revokes them if the authorization server supports it.
  task<result<logout_report>> log_out(std::string server);
  /// All stored logins, including those of servers that are not configured here.
  task<result<std::vector<login_summary>>> logins();
  [[nodiscard]] std::vector<server_status> status() const;
  [[nodiscard]] std::optional<server_status> status(std::string_view name) const;
  /// The tail of the process's stderr, without configured secrets; untrusted.
  [[nodiscard]] std::string stderr_tail(std::string_view name) const;

  /// Fetches all pages of a list; the elements are as the server sent them.
  task<result<boost::json::array>> list(std::string server, list_kind list);
  task<result<raw_json>> read_resource(std::string server, std::string uri, request_options request = {});
  /// `arguments`: a JSON object of strings, as text.
  task<result<raw_json>> get_prompt(std::string server, std::string name, std::string arguments,
                                    request_options request = {});
  /// `params` of completion/complete as JSON text: ref, argument, context.
  task<result<raw_json>> complete(std::string server, std::string params);
  /// Restored after every restart.
  task<result<void>> subscribe(std::string server, std::string uri);
  task<result<void>> unsubscribe(std::string server, std::string uri);
  task<result<void>> set_log_level(std::string server, std::string level);
  /// For methods without a typed call: `params` is a JSON object as text, or empty. A tools/call must be admitted by
  /// the configuration, too.
  task<result<raw_json>> request(std::string server, std::string method, std::string params,
                                 request_options request = {});
  result<void> notify(std::string_view server, std::string_view method, std::string_view params = {});

 private:
  std::unique_ptr<detail::hub_core> core_;
};

}  // namespace hawser
