// SPDX-License-Identifier: MIT
// Reads settings from configuration files in the common formats: `mcpServers` (Claude, Gemini, Cursor …), `servers` (VS
// Code, Dispatch), `mcp` (opencode) and `context_servers` (Zed). Starts nothing. Whether a file is trusted is decided
// before it is read.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/async/task.hpp"
#include "settings.hpp"

namespace hawser {

/// An error in a file, or a key without effect. Names keys but never values, which may be secrets.
struct config_problem {
  enum class kind : std::uint8_t { error, warning };
  kind severity = kind::error;
  std::string file{};
  int line = 0;  ///< from 1; 0 = the whole file
  int column = 0;
  std::string pointer{};  ///< RFC 6901; empty = the whole document
  std::string server{};   ///< the server of the entry; empty = not in an entry
  std::string what{};

  /// "mcp.json:3:7: error: /mcpServers/git/args: must be a list of texts", in one line.
  [[nodiscard]] std::string text() const;
};

struct config_result {
  host_settings settings{};                ///< the valid entries, in file order
  std::vector<config_problem> problems{};  ///< the first hundred
  std::vector<std::string> refused{};      ///< names of the entries skipped because of errors
  bool usable = true;                      ///< false: the file is not JSON, or in no known format
};

/// Returns the value of a variable; nullopt if it is not set.
using variable_lookup = std::function<std::optional<std::string>(std::string_view)>;
/// The environment of this process, read on each lookup.
variable_lookup process_variables();

/// Comments and trailing commas are accepted, as in VS Code. An entry is one server:
///
/// | key | value |
/// |---|---|
/// | `command`, `args`, `env`, `cwd` | a child process; `inherit_env: true` passes the host's whole environment |
/// | `url`, `headers` | an HTTP server |
/// | `tls` | `ca`, `cert`, `key`: certificate files |
/// | `proxy` | the proxy URL, or `none`; default: from the environment |
/// | `oauth` | login settings that cannot be discovered: README, "Logging in"; or false |
/// | `type` | `stdio`, `http` (`streamableHttp`, `streamable-http`), `sse`, `auto`; default: from the other keys |
/// | `enabled`, `disabled` | a disabled server is listed but not started |
/// | `timeout` | a string with a unit: "500ms", "30s", "2m"; for a plain number see below |
/// | `startup_timeout`, `silence` | the same, or a number of seconds |
/// | `restart` | "backoff" or "never" |
/// | `lazy`, `concurrency`, `tools`, `access`, `protocol` | as in server_settings; `protocol` is "auto", "legacy", … |
///
/// `${NAME}` and `${NAME:-default}` in command, args, env, cwd, url and headers are replaced by the variable's value,
/// which is not expanded again. Gemini's `$NAME` and opencode's `{env:NAME}` are expanded in files of these hosts;
/// elsewhere they are errors, except `$NAME` in a command line, which may be meant for a shell. An unset variable is an
/// error, except in the entry of a disabled server, where the text stays unchanged.
///
/// A plain number as `timeout` means seconds or milliseconds depending on the file's dialect, which is detected from
/// its keys (config_dialect); if the dialect is unknown, the number is an error. The top-level object `hawser` has
/// `separator`, `name_limit`, `max_message`, `max_result`, `resources` ("text" or "json"), `keep_rows` and
/// `starting_at_once`. A bad entry is reported and skipped; of two servers with the same name the first is used.
config_result parse_config(std::string_view text, std::string_view file, const variable_lookup& env);

/// An unreadable file is reported as a problem that names it.
task<config_result> load_config(std::string path, variable_lookup env = process_variables());

/// The configuration file to use, and where its path came from.
struct config_choice {
  std::string path{};
  std::string_view source{};  ///< "--config", "HAWSER_CONFIG" or "MCP_CONFIG_PATH"
};
/// `option` is the value of `--config`, or empty. If nothing is specified there are no servers; that is not an error.
std::optional<config_choice> choose_config(std::string_view option, const variable_lookup& env);

}  // namespace hawser
