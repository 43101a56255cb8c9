// SPDX-License-Identifier: MIT
// Reads settings from files in the shapes that people already have: `mcpServers` (Claude, Gemini, Cursor …), `servers`
// (VS Code, Dispatch), `mcp` (opencode) and `context_servers` (Zed). Starts nothing and trusts nobody; whether a file
// may be believed is decided before it is read.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../runtime/task.hpp"
#include "settings.hpp"

namespace hawser {

/// Something in a file that is wrong, or has no effect. It names keys and never says values: those may be secrets.
struct config_problem {
  enum class kind : std::uint8_t { error, warning };
  kind how = kind::error;
  std::string file{};
  int line = 0;  ///< from 1; 0 = about the file as a whole
  int column = 0;
  std::string pointer{};  ///< RFC 6901; empty = the whole document
  std::string server{};   ///< whose entry it is in; empty = it concerns the file
  std::string what{};

  /// "mcp.json:3:7: error: /mcpServers/git/args: must be a list of texts", in one line.
  [[nodiscard]] std::string text() const;
};

struct loaded_config {
  host_settings settings{};                ///< the good entries, in the order of the file
  std::vector<config_problem> problems{};  ///< the first hundred
  std::vector<std::string> refused{};      ///< names of the entries that are left out because of errors
  bool usable = true;                      ///< false: the file is no JSON, or of no shape we know
};

/// What a variable is set to; nothing if it is not set.
using variables = std::function<std::optional<std::string>(std::string_view)>;
/// Those of this process, as they are when they are asked for.
variables process_variables();

/// Comments and trailing commas are understood, as VS Code writes them. An entry is one server:
///
/// | key | value |
/// |---|---|
/// | `command`, `args`, `env`, `cwd` | a child process; `inherit_env: true` gives it everything the host has |
/// | `url`, `headers` | a server on the network |
/// | `tls` | `ca`, `cert`, `key`: files with certificates for it |
/// | `proxy` | the proxy to it, or `none`; else what the environment says |
/// | `oauth` | how to log in to it, where that cannot be found out: README, "Logging in"; or false |
/// | `type` | `stdio`, `http` (`streamableHttp`, `streamable-http`), `sse`, `auto`; else told from the keys |
/// | `enabled`, `disabled` | a disabled server is known but not started |
/// | `timeout` | a text with its unit: "500ms", "30s", "2m"; a plain number, see below |
/// | `startup_timeout`, `silence` | the same, or a number of seconds |
/// | `restart` | "backoff" or "never" |
/// | `lazy`, `concurrency`, `tools`, `access`, `protocol` | as in server_settings; `protocol` is "auto", "legacy", … |
///
/// `${NAME}` and `${NAME:-default}` in command, args, env, cwd, url and headers become what the variable is set to;
/// what comes out is not looked at again. Gemini's `$NAME` and opencode's `{env:NAME}` do so in files of these hosts;
/// elsewhere they are refused, but for `$NAME` in a command line, which a shell may be meant to read. A variable that
/// is not set is an error, except in the entry of a disabled server, where it stays as it stands.
///
/// A plain number as `timeout` is seconds or milliseconds by whose file it is, which its keys show (config_dialect);
/// where they do not, it is refused. The object `hawser` at the top has `separator`, `name_limit`, `max_message`,
/// `max_result`, `resources` ("text" or "json"), `keep_rows` and `starting_at_once`. A bad entry is reported and left
/// out; of two servers of one name the first one stays.
loaded_config parse_config(std::string_view text, std::string_view file, const variables& env);

/// A file that cannot be read is a problem that names it.
task<loaded_config> load_config(std::string path, variables env = process_variables());

/// Which file was asked for, and by what.
struct config_choice {
  std::string path{};
  std::string_view source{};  ///< "--config", "HAWSER_CONFIG" or "MCP_CONFIG_PATH"
};
/// `option` is what `--config` was given, if anything. Nothing asked for: no servers, and that is no error.
std::optional<config_choice> choose_config(std::string_view option, const variables& env);

}  // namespace hawser
