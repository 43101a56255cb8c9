// SPDX-License-Identifier: MIT
// What there is to know about a server from outside, and what a host tells whoever listens for changes. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../registry/server_id.hpp"
#include "../runtime/clock.hpp"
#include "agreement.hpp"

namespace hawser {

enum class server_state : std::uint8_t {
  stopped,   ///< disabled, or lazy and not needed yet, or ended and not to be restarted
  starting,  ///< from the start of the process until its tools are listed
  ready,
  degraded,  ///< it is gone and will be restarted, or it is there and could not list its tools
  needs_auth,
  failed,  ///< given up; `restart` tries again
};

std::string_view to_string(server_state state) noexcept;

/// "2.5 s", for people.
std::string readable(duration length);

/// What to do about a server that wants a login, for people.
std::string login_advice(std::string_view server);

/// A tool that a server lists and that has no row.
struct left_out_tool {
  std::string tool{};  ///< by its server's word; untrusted
  std::string what{};  ///< one sentence for people that names it
};

struct server_status {
  std::string name{};
  server_id id{};
  server_state state = server_state::stopped;
  std::string reason{};  ///< why it is in this state, where that needs saying
  std::string advice{};  ///< what to do about it
  /// What a server that is starting is waited for: "turn", "connection", or the method of a request.
  std::string phase{};
  std::string transport{};
  std::string target{};  ///< the command with its arguments, or the URL; no secrets
  std::string origin{};  ///< where it was configured
  bool enabled = true;
  bool lazy = false;
  agreement agreed{};       ///< of the last time it was connected; the revision is empty before
  std::size_t tools = 0;    ///< that it has rows for
  std::size_t refused = 0;  ///< tools that are unusable, filtered out, or whose name is taken
  /// The first hundred of these, without those that its configuration filters out. Of a server that is not running
  /// only those that others have the name of.
  std::vector<left_out_tool> left_out{};
  std::size_t restarts = 0;  ///< since it was added
  std::uint64_t noise = 0;   ///< lines on its stdout that were no messages
  int pid = 0;               ///< 0: no process now
};

struct host_change {
  enum class kind : std::uint8_t {
    tools,             ///< a new table is published
    server,            ///< the state of a server
    delayed,           ///< a server that starts is too busy: `text` says what is sent again, and when
    resources,         ///< a server's list of resources or templates
    prompts,           ///< a server's list of prompts
    resource_updated,  ///< `text` is its URI
    log_message,       ///< of a server: `level`, and `text` is the data as JSON
    notification,      ///< any other: `level` is its method, `text` its params
  };
  kind what = kind::tools;
  std::string server{};
  std::string level{};
  std::string text{};
  std::uint64_t version = 0;  ///< of the table, where that changed
};

}  // namespace hawser
