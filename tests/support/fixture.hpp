// SPDX-License-Identifier: MIT
// Finding the fixture programs, and the processes they leave behind.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/command.hpp"

namespace hawser::testing {

/// A program of the build folder that this test program stands in.
std::string program(const std::string& name);

/// A text that no other process on the machine has in its command line.
std::string new_token();

/// The fixture child in one of its modes.
command fixture(const std::string& token, const std::string& mode, std::vector<std::string> more = {});

/// Processes that have the token in their command line, zombies not counted.
std::vector<int> processes_with(const std::string& token);
/// Waits until there is none, for at most this many milliseconds; returns who is left.
std::vector<int> survivors(const std::string& token, int patience_ms);

/// Every way of misbehaving that a child of a stop can show.
inline constexpr std::array archetypes{"echo",         "ignore-sigterm", "leave-grandchildren", "daemonise",
                                       "leave-daemon", "keep-a-stray",   "end-first-thread",    "close-stdout",
                                       "close-stdin",  "flood-stderr",   "flood-stdout",        "exit",
                                       "noisy-exit"};
/// Of these have one process that leaves its group, which is reported.
inline constexpr std::array with_a_stray{"daemonise", "leave-daemon", "keep-a-stray", "end-first-thread"};

/// Whether it says when its misbehaviour is under way.
constexpr bool announces_itself(std::string_view archetype) {
  return archetype != "echo" && archetype != "exit" && archetype != "noisy-exit";
}

/// How often each archetype is started and ended: HAWSER_ROUNDS, or what the test says.
int rounds(int default_rounds);

std::size_t open_descriptors();
std::size_t own_threads();

}  // namespace hawser::testing
