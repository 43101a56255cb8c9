// SPDX-License-Identifier: MIT
// A server's status, and the change events of a host. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../registry/server_id.hpp"
#include "../runtime/loop/clock.hpp"
#include "session/negotiated_peer.hpp"

namespace hawser {

enum class server_state : std::uint8_t {
  stopped,   ///< disabled, or lazy and not needed yet, or ended and not restarted
  starting,  ///< from the start until its tools are listed
  ready,
  degraded,  ///< it has ended and will be restarted, or it is running and its tools could not be listed
  needs_auth,
  failed,  ///< given up; `restart` tries again
};

std::string_view to_string(server_state state) noexcept;

/// For display: "2.5 s".
std::string format_duration(duration length);

/// For display: how to log in to a server.
std::string login_advice(std::string_view server);

/// A listed tool that has no row.
struct omitted_tool {
  std::string tool{};  ///< the server's name for it; untrusted
  std::string what{};  ///< one sentence for display that names it
};

struct server_status {
  std::string name{};
  server_id id{};
  server_state state = server_state::stopped;
  std::string reason{};  ///< why it is in this state, if not obvious
  std::string advice{};  ///< what the user can do
  /// What a starting server waits for: "turn", "connection", or the method of a request.
  std::string phase{};
  std::string transport{};
  std::string target{};  ///< the command with its arguments, or the URL; no secrets
  std::string origin{};  ///< where it was configured
  bool enabled = true;
  bool lazy = false;
  negotiated_peer negotiated{};  ///< of the last connection; the revision is empty before the first
  std::size_t tools = 0;         ///< number of rows
  std::size_t refused = 0;       ///< tools that are unusable, filtered out, or whose name is taken
  /// The first hundred of these, without those that the configuration filters out. For a server that is not running,
  /// only name conflicts.
  std::vector<omitted_tool> omitted{};
  std::size_t restarts = 0;  ///< since it was added
  std::uint64_t noise = 0;   ///< lines on stdout that were not messages
  int pid = 0;               ///< 0: no process
};

struct host_change {
  enum class kind : std::uint8_t {
    tools,             ///< a new table is published
    server,            ///< a server's state has changed
    delayed,           ///< a starting server is busy: `text` says what is retried, and when
    resources,         ///< a server's list of resources or templates has changed
    prompts,           ///< a server's list of prompts has changed
    resource_updated,  ///< `text` is the URI
    log_message,       ///< from a server: `level`, and `text` is the data as JSON
    notification,      ///< any other notification: `level` is its method, `text` its params
  };
  kind what = kind::tools;
  std::string server{};
  std::string level{};
  std::string text{};
  std::uint64_t version = 0;  ///< of the table, for kind::tools
};

}  // namespace hawser
