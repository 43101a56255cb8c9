// SPDX-License-Identifier: MIT
// The commands that use servers, one file each. Each returns the program's exit code (exit_code.hpp).
#pragma once

#include <string>
#include <vector>

#include "../common_options.hpp"
#include "../terminal/terminal.hpp"

namespace hawser::cli {

/// For one server, or for all if `server` is empty.
struct server_options : common_options {
  std::string server{};
};

struct call_command_options : server_options {
  std::string tool{};
  std::vector<std::string> words{};
  bool raw = false;
};

struct read_options : server_options {
  std::string uri{};
  bool raw = false;
};

struct prompt_options : server_options {
  std::string name{};
  std::vector<std::string> words{};
};

struct complete_options : server_options {
  std::string prompt{};  ///< either prompt or resource is set
  std::string resource{};
  std::vector<std::string> words{};  ///< the argument to complete, then the known arguments
};

struct logs_options : server_options {
  bool follow = false;
};

struct auth_options : server_options {
  std::vector<std::string> scopes{};
  bool again = false;
  bool no_browser = false;
  bool session_only = false;
  bool status = false;
};

int list_command(terminal& screen, const common_options& options);
int get_command(terminal& screen, const server_options& options);
int tools_command(terminal& screen, const server_options& options);
int call_command(terminal& screen, const call_command_options& options);
int resources_command(terminal& screen, const server_options& options);
int read_command(terminal& screen, const read_options& options);
int prompts_command(terminal& screen, const server_options& options);
int prompt_command(terminal& screen, const prompt_options& options);
int complete_command(terminal& screen, const complete_options& options);
int watch_command(terminal& screen, const common_options& options);
int logs_command(terminal& screen, const logs_options& options);
int auth_command(terminal& screen, const auth_options& options);
int logout_command(terminal& screen, const server_options& options);

}  // namespace hawser::cli
