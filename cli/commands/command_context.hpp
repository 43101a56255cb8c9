// SPDX-License-Identifier: MIT
// Runs one command that uses servers. Configuration, loop, hub, signal handling and exit code are the same for all
// commands; `command_plan::work` is the command itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../../host/hub.hpp"
#include "../common_options.hpp"
#include "../config_file.hpp"
#include "../exit_code.hpp"
#include "../terminal/terminal.hpp"

namespace hawser::cli {

/// The context of a running command; outlives it.
struct command_context {
  const common_options& options;
  terminal& screen;
  progress_line& progress;
  hub& servers;
  loop& home;
  const loaded_settings& config;         ///< without the settings of the servers, which the hub owns
  std::optional<time_point> deadline{};  ///< from --timeout, if the command applies it per server
  /// Failures that did not end the command, such as one server of several that did not start. Already printed.
  std::vector<error> failures{};
};

/// The servers that a command concerns. Configuration problems of other servers are not reported.
struct command_subject {
  enum class kind : std::uint8_t {
    all,
    server,   ///< the server `name`
    tool,     ///< the servers that could have the tool `name`
    nothing,  ///< no server
  };
  kind type = kind::all;
  std::string name{};

  /// One server, or all if `server` is empty.
  static command_subject server_or_all(const std::string& server) {
    return {.type = server.empty() ? kind::all : kind::server, .name = server};
  }
  [[nodiscard]] bool includes(const naming_options& names, std::string_view server) const;
  [[nodiscard]] bool is_specific() const noexcept { return type == kind::server || type == kind::tool; }
};

struct command_plan {
  enum class server_start : std::uint8_t { on_demand, all };
  enum class ending : std::uint8_t { on_completion, on_interrupt };  ///< on_interrupt: Ctrl-C is the normal end
  /// What --timeout limits: the whole command, or each wait for a server, so that results of other servers are kept.
  enum class timeout_scope : std::uint8_t { whole_command, each_server };
  /// The command. An error is printed (with --json also as a document on stdout) and determines the exit code.
  std::function<task<result<exit_code>>(command_context&)> work;
  server_start starts = server_start::on_demand;
  ending ends = ending::on_completion;
  timeout_scope timeout_applies_to = timeout_scope::whole_command;
  command_subject subject{};
  std::function<void(const host_change&)> on_change{};
};

/// Returns the program's exit code.
int run_command(terminal& screen, const common_options& options, command_plan plan);

/// A step for one server, given its name; the task completes before the command_context does.
using server_step = std::function<task<result<void>>(std::string)>;

/// The names of the enabled servers, or just the requested one. errc::config if there is none or its configuration
/// was refused; errc::tool_unknown if no server has that name.
result<std::vector<std::string>> select_servers(const command_context& e, const std::string& only);

/// The state to wait for: ready for requests, or also with its tools listed.
enum class readiness : std::uint8_t { connected, listed };

/// Starts the servers concurrently and waits, at most until the command's deadline. Returns the outcomes in the order
/// of the names; fails only if it was stopped.
/// `then` runs for each server as soon as it is ready, independent of the others; its error becomes the server's
/// outcome.
task<result<std::vector<result<void>>>> start_servers(command_context& e, std::vector<std::string> names,
                                                      readiness wanted, server_step then = {});

struct start_report {
  std::vector<std::string> ready{};
  exit_code code = exit_code::ok;  ///< the combined code of the servers that are not ready
};

/// The same, and prints why servers are not ready. Without `only`, servers whose configuration was refused count as
/// failed.
task<result<start_report>> start_and_report(command_context& e, std::string only, readiness wanted,
                                            server_step then = {});

/// Evaluates the outcomes of all enabled servers and prints why some are not ready. Servers whose configuration was
/// refused count as failed.
start_report report_outcomes(command_context& e, const std::vector<std::string>& names,
                             const std::vector<result<void>>& outcomes);

/// Why there is no server to use, and how to fix it.
std::string no_servers_text(const command_context& e);

/// The time left until the command's deadline; nullopt if there is none.
std::optional<duration> time_left(const command_context& e);
/// The timeout error of a server; `what` is what did not happen, for example "it was not ready".
error timeout_error(const command_context& e, const std::string& server, std::string_view what);

void print_error(output& to, const error& why);

/// For a command without a loop: waits until stdout is written. Returns the program's exit code, which changes if the
/// output cannot be written.
int finish_output(terminal& screen, exit_code code);

/// Prints why the command line is invalid (with --json also as a document on stdout).
exit_code print_usage_error(terminal& screen, const common_options& options, const error& why);

/// The reason why --raw cannot be used, if any. Checked before any server is asked for output that could not be
/// printed.
std::optional<error> raw_output_error(const terminal& screen, const common_options& options);

/// Prints a failure that does not end the command, and records it for print_document().
void report_failure(command_context& e, error why);

/// Records refused configuration entries for print_document(); their problems are already printed.
void record_refused_servers(command_context& e);

/// Prints a command's JSON object on one line, with the recorded failures as its members `error` and `errors`.
void print_document(command_context& e, std::string object);

}  // namespace hawser::cli
