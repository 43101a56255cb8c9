// SPDX-License-Identifier: MIT
// A description of a child process to start: program, arguments, environment, stdio. No shell is ever involved.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "../error.hpp"

namespace hawser {

struct environment {
  enum class base : std::uint8_t {
    safe,     ///< HOME LOGNAME PATH SHELL TERM USER, if set in the host
    inherit,  ///< the host's whole environment
    empty,
  };
  base from = base::safe;
  std::map<std::string, std::string> set{};  ///< added to the base

  /// The environment as `NAME=value` strings.
  [[nodiscard]] std::vector<std::string> compose() const;
};

enum class stdio : std::uint8_t {
  pipe,     ///< a real pipe: the fastest for small messages
  socket,   ///< a socket pair: better for results of many megabytes
  inherit,  ///< the host's own descriptor
  null,     ///< /dev/null
};

struct command {
  std::string program;                   ///< a path if it contains a slash, otherwise searched in PATH of `env`
  std::vector<std::string> arguments{};  ///< without the program itself
  std::string directory{};               ///< empty = the host's
  environment env{};
  stdio input = stdio::pipe;
  stdio output = stdio::pipe;
  stdio errors = stdio::pipe;

  /// Rejects commands that cannot be executed: an empty program, a NUL byte in a text.
  [[nodiscard]] result<void> check() const;
};

}  // namespace hawser
