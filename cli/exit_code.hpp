// SPDX-License-Identifier: MIT
// The exit codes of the program. `hawser --help` prints the table.
#pragma once

#include <cstdint>

#include "../runtime/error.hpp"

namespace hawser::cli {

enum class exit_code : std::uint8_t {
  ok = 0,
  failure = 1,  ///< the tool reported an error, or the name was not found
  usage = 2,    ///< invalid command line
  config = 3,   ///< invalid configuration
  /// a server could not be started or reached, or disconnected before the request; or several servers failed in
  /// different ways
  unreachable = 4,
  timed_out = 5,        ///< the request may have been executed
  refused = 6,          ///< the server responded with an error or an invalid response
  outcome_unknown = 7,  ///< the server disconnected after the request, which may have been executed
  not_written = 8,      ///< the output cannot be written; the request was executed
  interrupted = 130,    ///< Ctrl-C; 129 and 143 for SIGHUP and SIGTERM
  broken_pipe = 141,    ///< the reader of the output is gone
};

/// The program could not be started; as in shells.
inline constexpr int not_started = 127;

/// Lines for `--help`.
inline constexpr const char* exit_code_help =
    "Exit codes:\n"
    "  0    done\n"
    "  1    the tool reported an error, or there is nothing of that name\n"
    "  2    the command line cannot be understood\n"
    "  3    the configuration cannot be used\n"
    "  4    a server could not be started or reached, or several servers failed in different ways\n"
    "  5    timed out; what was asked for may have been done\n"
    "  6    the server refused, or its answer or its list was none\n"
    "  7    the server went away while it was asked; what was asked for may have been done\n"
    "  8    the output cannot be written, to a full disk for instance; what was asked for was done\n"
    "  130  ended by Ctrl-C (129 by SIGHUP, 143 by SIGTERM)\n"
    "  141  nobody reads the output any more\n"
    "What the other servers answered is printed all the same; a server that failed is named on stderr.";

exit_code exit_code_for(const error& why) noexcept;
/// The same for a server that did not start: the reason does not matter.
exit_code exit_code_for_server(const error& why) noexcept;
/// For several servers: their common code, or `unreachable` if they failed in different ways.
exit_code combine_exit_codes(exit_code one, exit_code other) noexcept;

}  // namespace hawser::cli
