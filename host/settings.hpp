// SPDX-License-Identifier: MIT
// What a host is to do, as plain values: which servers there are and how each of them is to be treated. `config` reads
// them from files; an embedder may fill them in by hand.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "../oauth/oauth_settings.hpp"
#include "../registry/filter.hpp"
#include "../registry/names.hpp"
#include "../runtime/child.hpp"
#include "../runtime/clock.hpp"
#include "../transports/tls_context.hpp"
#include "content.hpp"
#include "restart_plan.hpp"

namespace hawser {

/// A server that is a child process.
struct stdio_settings {
  std::string command{};
  std::vector<std::string> args{};
  std::map<std::string, std::string> env{};  ///< values are secrets: never logged, never shown
  bool inherit_env = false;                  ///< everything the host has, instead of the safe few
  std::string cwd{};                         ///< empty = the host's
};

/// A server on the network.
struct http_settings {
  enum class kind : std::uint8_t { automatic, streamable, sse };
  std::string url{};
  std::map<std::string, std::string> headers{};  ///< values are secrets, too
  kind type = kind::automatic;
  tls_settings tls{};   ///< certificates beside the system's
  std::string proxy{};  ///< `http://[user:password@]host:port`, "none", or empty: what the environment says
  /// How to log in, where the server wants it and no header says `Authorization`.
  oauth_settings oauth{};
};

/// What becomes of a server that ended without being told to.
enum class restart_policy : std::uint8_t { with_backoff, never };

/// Which protocol era to speak: found out, or said.
struct protocol_choice {
  enum class kind : std::uint8_t { automatic, legacy, modern };
  kind era = kind::automatic;
  std::string revision{};  ///< one and no other; empty = the newest of the era that both sides know
};

struct server_settings {
  std::string name{};
  std::variant<stdio_settings, http_settings> transport{};
  bool enabled = true;
  std::optional<duration> timeout{};  ///< how long a call may take in all; else host_limits::hard_timeout
  /// How long a call may go without progress; else as long as `timeout`, or else host_limits::silence.
  std::optional<duration> silence{};
  duration startup_timeout = std::chrono::seconds{30};  ///< until it is ready: connected, and its tools listed
  restart_policy restart = restart_policy::with_backoff;
  restart_limits restarts{};         ///< how soon, and how often
  bool lazy = false;                 ///< starts when it is first needed; until then its last known tools are listed
  std::size_t concurrency = 0;       ///< calls at a time; 0 = no limit
  std::vector<std::string> tools{};  ///< patterns over the server's own tool names, as in tool_filter; empty = all
  tool_access access = tool_access::any;
  protocol_choice protocol{};
  stop_ladder ladder{};
  std::string origin{};  ///< where it was configured, for people: "mcp.json:12"
  /// What variables in its configuration were expanded to, where that may be a secret: never logged, never shown.
  std::vector<std::string> expansions{};
};

/// How far servers may go before they are cut short.
struct host_limits {
  std::size_t max_message = std::size_t{16} << 20;
  /// Behind the error of a message that is larger.
  static constexpr const char* max_message_advice =
      R"(; {"hawser": {"max_message": BYTES}} in the configuration sets another limit)";
  std::size_t max_result = 5'000'000;               ///< bytes of text that a caller gets; the rest is cut with a note
  std::size_t max_tools = 10'000;                   ///< of one server
  std::size_t max_pages = 1'000;                    ///< of one list
  std::size_t max_listing = std::size_t{32} << 20;  ///< bytes of one list, all its pages together
  /// JSON values of one list of resources, templates or prompts, all its pages together: each takes up to 60 bytes.
  std::size_t max_list_values = 200'000;
  std::size_t max_cursor = 4'096;                    ///< bytes of what a server sends to have the next page asked for
  duration list_timeout = std::chrono::seconds{60};  ///< for one list, all its pages together
  std::size_t max_pending = 1'024;                   ///< calls of one server
  std::size_t max_total_pending = 8'192;
  std::size_t max_queued = std::size_t{32} << 20;  ///< bytes that one server has not read yet
  std::size_t starting_at_once = 8;
  duration hard_timeout = std::chrono::minutes{30};  ///< of a call in all, whatever progress it reports …
  duration silence = std::chrono::seconds{60};       ///< … and without any, where nobody says otherwise
  int input_rounds = 8;                              ///< how often one call may ask for more input
};

struct host_settings {
  std::vector<server_settings> servers{};
  naming names{};
  host_limits limits{};
  resource_form resources = resource_form::text;  ///< how resources stand in the text of a result
  duration list_changed_delay = std::chrono::milliseconds{200};
  /// How long the rows of a server that went away stay, marked unavailable.
  duration keep_rows = std::chrono::seconds{30};
};

}  // namespace hawser
