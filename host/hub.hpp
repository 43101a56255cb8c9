// SPDX-License-Identifier: MIT
// The host on its loop: many servers, one sorted table of tools, calls by name. Coroutines, loop thread only; `host` is
// the same for programs that live on other threads.
#pragma once

#include <boost/json/array.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../oauth/server_login.hpp"
#include "../registry/registry.hpp"
#include "../runtime/dns.hpp"
#include "../runtime/task.hpp"
#include "../transports/channel.hpp"
#include "call_settings.hpp"
#include "envelope.hpp"
#include "input.hpp"
#include "login_dialogue.hpp"
#include "session_listener.hpp"
#include "settings.hpp"
#include "status.hpp"

namespace hawser {

/// A function of the program as a row of the table like any other.
struct native_tool {
  std::string name{};  ///< by which it is listed and called, so that add_tool() refuses one that would be changed
  std::string description{};
  std::string input_schema = R"({"type":"object"})";  ///< a JSON object as text
  std::string output_schema{};                        ///< the same, or empty
  tool_hints hints{};
  /// Answered when it has its result; dropped = it failed. What it throws is a result with isError and the exception's
  /// text.
  std::function<void(boost::json::object, reply<envelope>)> function{};
};

/// What a function of the program throws is logged with its name, where nothing else is said.
struct hub_options {
  input_handlers input{};
  implementation identity{};                            ///< an empty name: Hawser's own
  executor callbacks{};                                 ///< where the input handlers and native tools run
  executor tool_executor{};                             ///< … and native tools instead, where it is set
  std::function<void(const host_change&)> on_change{};  ///< on the loop thread
  std::string memory_folder{};    ///< where last known tools and eras are kept between runs; empty = nowhere
  std::string login_file{};       ///< where logins are kept, see default_store_path(); empty = until the hub ends
  token_store* logins = nullptr;  ///< keeps them instead, and lives longer
  bool all_lazy = false;          ///< no server starts before it is needed
  bool allow_spawn = true;
  bool allow_network = true;
  resolver* names = nullptr;  ///< for servers on the network; null = the system's name servers; else lives longer
  /// Every message of every server, as recording_channel writes it. Secrets of a configuration are never in messages.
  std::function<void(std::string_view server, std::string_view line)> trace{};
};

namespace detail {
struct hub_core;
}

class hub {
 public:
  hub(loop& home, host_settings settings, hub_options options = {});
  hub(const hub&) = delete;
  hub& operator=(const hub&) = delete;
  ~hub();

  /// Servers start in the background; what is wrong with one of them is its status. Ended by close(), not by a stop.
  task<result<void>> open();
  /// Calls end, servers are stopped by their ladders, everything is joined. Idempotent; not shortened by a stop.
  task<result<void>> close();
  /// Waits until no server is starting any more.
  task<result<void>> settled();

  [[nodiscard]] const registry& table() const noexcept;
  [[nodiscard]] table_ref tools() const { return table().table(); }

  /// `arguments` is a JSON object as text. Looks the name up in the current table, and again when the call had to wait
  /// for a start: what `access` and `tools` do not admit by then is errc::tool_unknown. While a server that could have
  /// the name is starting, waits for it, within the timeout; a lazy server is started. errc::tool_unknown says why such
  /// a server has no tools.
  task<result<envelope>> call(std::string name, std::string arguments, call_settings settings = {});
  /// The tool of a row of a held table, whatever has the name now; errc::server_gone if its server was removed,
  /// errc::tool_unknown if the server's configuration does not admit it.
  task<result<envelope>> call(server_id server, std::string tool, std::string arguments, call_settings settings = {});

  /// errc::config if it has no function, a schema that is no JSON object, an input schema for something else than an
  /// object, a name that is taken, or a name that models could not use: see write_exposed_name().
  result<void> add_tool(native_tool added);
  bool remove_tool(std::string_view name);

  /// errc::config if there is one of the name.
  result<server_id> add_server(server_settings added);
  /// One that speaks over a channel of the embedder's own, made anew for every start.
  result<server_id> add_server(server_settings added, std::function<std::unique_ptr<channel>()> connect);
  task<result<void>> remove_server(std::string name);
  /// Stops it if it runs, and starts it, also one that had failed; does not wait for it to be ready.
  result<void> restart(std::string_view name);
  /// Starts a lazy one and waits until it is ready for calls; an error says why it is not.
  task<result<void>> ready(std::string name);
  /// The same until its tools are listed: an error also where it is ready for calls and its list could not be read.
  task<result<void>> listed(std::string name);
  /// Has a person log in to a server on the network and waits until it is ready. Nothing else ever asks a person: a
  /// server that wants a login is server_state::needs_auth until then. No issuer in the summary: it wants none.
  task<result<login_summary>> authenticate(std::string server, login_wish wish, login_person& person);
  /// The same with functions.
  task<result<login_summary>> authenticate(std::string server, login_dialogue with);
  /// Forgets the server's tokens, and has them revoked where that is offered.
  task<result<logout_report>> log_out(std::string server);
  /// All that are kept, also those of servers that are not configured here.
  task<result<std::vector<login_summary>>> logins();
  [[nodiscard]] std::vector<server_status> status() const;
  [[nodiscard]] std::optional<server_status> status(std::string_view name) const;
  /// What its process wrote to stderr last, without the secrets of its configuration; untrusted.
  [[nodiscard]] std::string errors_of(std::string_view name) const;

  /// All pages of a list, the elements as the server sent them.
  task<result<boost::json::array>> list(std::string server, list_kind what);
  task<result<raw_json>> read_resource(std::string server, std::string uri, call_settings settings = {});
  /// `arguments`: a JSON object of strings as text.
  task<result<raw_json>> get_prompt(std::string server, std::string name, std::string arguments,
                                    call_settings settings = {});
  /// `params` of completion/complete as JSON text: ref, argument, context.
  task<result<raw_json>> complete(std::string server, std::string params);
  /// Renewed after every restart.
  task<result<void>> subscribe(std::string server, std::string uri);
  task<result<void>> unsubscribe(std::string server, std::string uri);
  task<result<void>> set_log_level(std::string server, std::string level);
  /// What has no typed call: `params` is a JSON object as text, or empty. A tools/call needs to be admitted, too.
  task<result<raw_json>> request(std::string server, std::string method, std::string params,
                                 call_settings settings = {});
  result<void> notify(std::string_view server, std::string_view method, std::string_view params = {});

 private:
  std::unique_ptr<detail::hub_core> core_;
};

}  // namespace hawser
