// SPDX-License-Identifier: MIT
// Finds the fixture programs, and processes that they leave behind.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/process/command.hpp"

namespace hawser::testing {

/// The path of a program in the build folder of this test program.
std::string program(const std::string& name);

/// A text that is unique among the command lines of the machine.
std::string new_token();

/// The fixture child in one of its modes.
command fixture_command(const std::string& token, const std::string& mode, std::vector<std::string> more = {});

/// Processes that have the token in their command line, without zombies.
std::vector<int> processes_with(const std::string& token);
/// Waits until there is none, for at most this many milliseconds; returns the remaining ones.
std::vector<int> survivors(const std::string& token, int patience_ms);

/// All kinds of misbehaviour of a child at shutdown.
inline constexpr std::array archetypes{"echo",         "ignore-sigterm", "leave-grandchildren", "daemonise",
                                       "leave-daemon", "keep-a-stray",   "end-first-thread",    "close-stdout",
                                       "close-stdin",  "flood-stderr",   "flood-stdout",        "exit",
                                       "noisy-exit"};
/// Those that have a process which leaves its process group; this is reported.
inline constexpr std::array archetypes_with_stray{"daemonise", "leave-daemon", "keep-a-stray", "end-first-thread"};

/// Whether it reports when its misbehaviour has started.
constexpr bool announces_itself(std::string_view archetype) {
  return archetype != "echo" && archetype != "exit" && archetype != "noisy-exit";
}

/// How often each archetype is started and ended: HAWSER_ROUNDS, or the default of the test.
int rounds(int default_rounds);

std::size_t open_descriptors();
std::size_t own_threads();

}  // namespace hawser::testing
