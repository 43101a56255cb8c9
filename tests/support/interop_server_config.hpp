// SPDX-License-Identifier: MIT
// The configuration of each server of tests/interop.
#pragma once

#include <filesystem>

#include "../../host/config/settings.hpp"
#include "fixture.hpp"
#include "interop_servers.hpp"
#include "temporary_folder.hpp"

namespace hawser::testing {

struct interop_server_config {
  std::string name;
  const char* script;
  std::vector<std::string> more{};  ///< arguments after the required ones
  protocol_choice protocol{};
  std::string path{};  ///< the path of its URL, if it is an HTTP server; then `more` is all its arguments
  http_settings::kind type = http_settings::kind::automatic;
};

/// Puts the token into its command line, to find its processes. nullopt if the servers are missing.
inline std::optional<server_settings> settings_of(const interop_server_config& one, const std::string& token,
                                                  const temporary_folder& folder) {
  const std::string_view script = one.script;
  std::vector<std::string> arguments{token};
  // Their first argument is the transport.
  if (script == interop::everything || script == interop::everything_legacy) arguments = {"stdio", token};
  if (script == interop::filesystem) {  // every argument is a folder
    arguments = {folder / token};
    std::filesystem::create_directory(arguments.front());
  }
  arguments.insert(arguments.end(), one.more.begin(), one.more.end());
  auto found = interop_server(one.script, std::move(arguments));
  if (!found) return std::nullopt;
  stdio_settings child{.command = found->program, .args = found->arguments};
  // By default it writes beside its own code.
  if (script == interop::memory) child.env["MEMORY_FILE_PATH"] = folder / "memory.jsonl";
  return server_settings{.name = one.name, .transport = std::move(child), .protocol = one.protocol};
}

}  // namespace hawser::testing
