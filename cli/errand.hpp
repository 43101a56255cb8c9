// SPDX-License-Identifier: MIT
// One run of a command that has to do with servers: configuration, loop, hub, Ctrl-C and the way out are the same for
// all of them, what is done in between is the command's.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../host/hub.hpp"
#include "common_options.hpp"
#include "config_file.hpp"
#include "exit_code.hpp"
#include "terminal.hpp"

namespace hawser::cli {

/// What a command works with; outlives it.
struct errand {
  const common_options& options;
  terminal& screen;
  progress& waiting;
  hub& servers;
  loop& home;
  const configured& config;              ///< but for the settings of the servers, which the hub has
  std::optional<time_point> deadline{};  ///< of --timeout, where the command keeps it server by server
  /// What went wrong and did not end the command: a server that could not be started, beside others. Was printed.
  std::vector<error> failures{};
};

/// Which servers a command has to do with: what is wrong with the configuration of others is not its business.
struct command_subject {
  enum class kind : std::uint8_t {
    all,
    server,   ///< the one of the name
    tool,     ///< those that could have the tool
    nothing,  ///< none of them
  };
  kind of = kind::all;
  std::string name{};

  /// One server, or all if `server` is empty.
  static command_subject server_or_all(const std::string& server) {
    return {.of = server.empty() ? kind::all : kind::server, .name = server};
  }
  [[nodiscard]] bool includes(const naming& names, std::string_view server) const;
  [[nodiscard]] bool is_specific() const noexcept { return of == kind::server || of == kind::tool; }
};

struct errand_plan {
  enum class starting : std::uint8_t { what_is_needed, all };
  enum class ending : std::uint8_t { by_itself, by_interruption };  ///< the latter: Ctrl-C is its regular end
  /// What --timeout bounds: the work as a whole, or each wait for a server, so that what others said is not lost.
  enum class bounding : std::uint8_t { whole, by_server };
  /// What is done. An error is printed, with --json as a document on stdout, too, and decides on the exit code.
  std::function<task<result<exit_code>>(errand&)> work;
  starting starts = starting::what_is_needed;
  ending ends = ending::by_itself;
  bounding bounds = bounding::whole;
  command_subject about{};
  std::function<void(const host_change&)> on_change{};
};

/// Returns the program's exit code.
int run_errand(terminal& screen, const common_options& options, errand_plan plan);

/// What is asked of one server, by its name; the task ends before the errand does.
using server_step = std::function<task<result<void>>(std::string)>;

/// The names of the servers that are enabled, or of the one that was asked for. errc::config if there is none, or if
/// its configuration was refused; errc::tool_unknown if there is none of the name.
result<std::vector<std::string>> wanted_servers(const errand& e, const std::string& only);

/// How far a server has to be: ready for requests, or its tools listed, too.
enum class readiness : std::uint8_t { connected, listed };

/// Starts them at the same time and waits, until the command's deadline; says how it went, in the order of the names.
/// An error only if a stop came first.
/// `then` is done for each as soon as it is ready, whatever becomes of the others; its error is that of the server.
task<result<std::vector<result<void>>>> start_all(errand& e, std::vector<std::string> names, readiness wanted,
                                                  server_step then = {});

struct started_servers {
  std::vector<std::string> ready{};
  exit_code code = exit_code::ok;  ///< of those that are not
};

/// The same; why others are not ready is printed. Without `only`, servers whose configuration was refused count as
/// failed.
task<result<started_servers>> started(errand& e, std::string only, readiness wanted, server_step then = {});

/// What became of all servers that are enabled: prints why some are not ready. Those whose configuration was refused
/// count as failed.
started_servers noted(errand& e, const std::vector<std::string>& names, const std::vector<result<void>>& outcomes);

/// Why there is no server to work with, and what to do about it.
std::string no_servers_text(const errand& e);

/// What is left until the command's deadline for something that takes a bound; nothing where there is none.
std::optional<duration> time_left(const errand& e);
/// The error of a server that did not answer before the command's deadline; `what` did not happen: "it was not ready".
error out_of_time(const errand& e, const std::string& server, std::string_view what);

void complain(output& to, const error& why);

/// For a command that needs no loop: waits until stdout has everything. Returns the program's exit code, which is
/// another one where the output cannot be written.
int finished(terminal& screen, exit_code code);

/// Prints why a command cannot be done as it was written, with --json as a document on stdout, too.
exit_code refuse_usage(terminal& screen, const common_options& options, const error& why);

/// Why --raw cannot be used here, if so: before anybody is asked for what could not be printed.
std::optional<error> why_not_raw(const terminal& screen, const common_options& options);

/// Prints a failure that does not end the command, and keeps it for print_document().
void note_failure(errand& e, error why);

/// Keeps for print_document() that entries of the configuration were refused; what is wrong with them was printed.
void note_refused(errand& e);

/// A command's JSON object, on one line; with what failed on the way as its members `error` and `errors`.
void print_document(errand& e, std::string object);

}  // namespace hawser::cli
