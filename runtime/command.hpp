// SPDX-License-Identifier: MIT
// What to start as a child process, as a value. No shell is ever involved.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "error.hpp"

namespace hawser {

struct environment {
  enum class base : std::uint8_t {
    safe,     ///< HOME LOGNAME PATH SHELL TERM USER, where the host has them
    inherit,  ///< everything the host has
    empty,
  };
  base from = base::safe;
  std::map<std::string, std::string> set{};  ///< on top of that

  /// `NAME=value` texts as a new process gets them.
  [[nodiscard]] std::vector<std::string> compose() const;
};

enum class stdio : std::uint8_t {
  pipe,     ///< a real pipe: the fastest for small messages
  socket,   ///< a socket pair: better for results of many megabytes
  inherit,  ///< the host's own
  null,     ///< /dev/null
};

struct command {
  std::string program;                   ///< with a slash: a path; else looked for in the PATH of the environment given
  std::vector<std::string> arguments{};  ///< without the program itself
  std::string directory{};               ///< empty = the host's
  environment env{};
  stdio input = stdio::pipe;
  stdio output = stdio::pipe;
  stdio errors = stdio::pipe;

  /// What no process can be started from: an empty program, a NUL byte inside a text.
  [[nodiscard]] result<void> check() const;
};

}  // namespace hawser
