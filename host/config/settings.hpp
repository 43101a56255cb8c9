// SPDX-License-Identifier: MIT
// A host's settings as plain values: the servers and their options. `config` reads them from files; an embedder may
// also fill them in directly.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "../../oauth/oauth_settings.hpp"
#include "../../registry/exposed_name.hpp"
#include "../../registry/tool_filter.hpp"
#include "../../runtime/loop/clock.hpp"
#include "../../runtime/process/child.hpp"
#include "../../transports/json/json_validator.hpp"
#include "../../transports/tls/tls_context.hpp"
#include "../result/content.hpp"
#include "../supervision/restart_backoff.hpp"

namespace hawser {

/// A server that runs as a child process.
struct stdio_settings {
  std::string command{};
  std::vector<std::string> args{};
  std::map<std::string, std::string> env{};  ///< values are secrets: never logged or shown
  bool inherit_env = false;                  ///< pass the host's whole environment, not only the safe variables
  std::string cwd{};                         ///< empty = the host's working directory
};

/// An HTTP server.
struct http_settings {
  enum class kind : std::uint8_t { automatic, streamable, sse };
  std::string url{};
  std::map<std::string, std::string> headers{};  ///< values are secrets: never logged or shown
  kind type = kind::automatic;
  tls_settings tls{};   ///< certificates in addition to the system's
  std::string proxy{};  ///< `http://[user:password@]host:port`, "none", or empty: from the environment
  /// Login settings, used if the server requires a login and no `Authorization` header is configured.
  oauth_settings oauth{};
};

/// What to do after a server ended unexpectedly.
enum class restart_policy : std::uint8_t { with_backoff, never };

/// Which protocol era to use: detected or fixed.
struct protocol_choice {
  enum class kind : std::uint8_t { automatic, legacy, modern };
  kind era = kind::automatic;
  std::string revision{};  ///< only this one; empty = the newest common revision of the era
};

struct server_settings {
  std::string name{};
  std::variant<stdio_settings, http_settings> transport{};
  bool enabled = true;
  std::optional<duration> timeout{};  ///< limit of a whole call; default host_limits::hard_timeout
  /// Limit of a call without progress; default `timeout`, or else host_limits::silence.
  std::optional<duration> silence{};
  duration startup_timeout = std::chrono::seconds{30};  ///< until ready: connected, and its tools listed
  restart_policy restart = restart_policy::with_backoff;
  restart_limits restarts{};         ///< restart delays and limits
  bool lazy = false;                 ///< starts on first use; until then its cached tools are listed
  std::size_t concurrency = 0;       ///< concurrent calls; 0 = no limit
  std::vector<std::string> tools{};  ///< patterns for the server's own tool names, as in tool_filter; empty = all
  tool_access access = tool_access::any;
  protocol_choice protocol{};
  shutdown_timeouts ladder{};
  std::string origin{};  ///< where it was configured, for display: "mcp.json:12"
  /// Values of expanded variables in its configuration that may be secret: never logged or shown.
  std::vector<std::string> expansions{};
};

/// Limits on what servers may send and use.
struct host_limits {
  std::size_t max_message = std::size_t{16} << 20;
  /// Appended to the error for a larger message.
  static constexpr const char* max_message_advice =
      R"(; {"hawser": {"max_message": BYTES}} in the configuration sets another limit)";
  std::size_t max_result = 5'000'000;  ///< bytes of text that a caller gets; the rest is cut with a note
  /// JSON values of a result of which trees are built: a value takes up to about 200 bytes in one. The text of a result
  /// with more is available as sent.
  std::size_t max_result_values = tree_limits.max_values;
  std::size_t max_tools = 10'000;                   ///< of one server
  std::size_t max_pages = 1'000;                    ///< of one list
  std::size_t max_listing = std::size_t{32} << 20;  ///< bytes of one list, all its pages together
  /// JSON values of one list of resources, templates or prompts, all its pages together: each takes up to 60 bytes.
  std::size_t max_list_values = 200'000;
  std::size_t max_cursor = 4'096;                    ///< bytes of what a server sends to have the next page asked for
  duration list_timeout = std::chrono::seconds{60};  ///< for one list, all its pages together
  std::size_t max_pending = 1'024;                   ///< calls of one server
  std::size_t max_total_pending = 8'192;
  std::size_t max_queued = std::size_t{32} << 20;  ///< bytes not yet read by one server
  std::size_t starting_at_once = 8;
  duration hard_timeout = std::chrono::minutes{30};  ///< of a whole call, even with progress
  duration silence = std::chrono::seconds{60};       ///< default limit without progress
  int input_rounds = 8;                              ///< input rounds per call
};

struct host_settings {
  std::vector<server_settings> servers{};
  naming_options names{};
  host_limits limits{};
  resource_form resources = resource_form::text;  ///< how resources appear in the text of a result
  duration list_changed_delay = std::chrono::milliseconds{200};
  /// How long the rows of an ended server stay listed, marked unavailable.
  duration keep_rows = std::chrono::seconds{30};
};

}  // namespace hawser
