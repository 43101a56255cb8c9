// SPDX-License-Identifier: MIT
// How the servers of tests/interop are configured, each with its peculiarities.
#pragma once

#include <filesystem>

#include "../../host/settings.hpp"
#include "fixture.hpp"
#include "interop.hpp"
#include "temporary_folder.hpp"

namespace hawser::testing {

struct interop_guest {
  std::string name;
  const char* script;
  std::vector<std::string> more{};  ///< arguments behind those that it must have
  protocol_choice protocol{};
  std::string path{};  ///< of its URL, if it is one that listens; then `more` is all its arguments
  http_settings::kind type = http_settings::kind::automatic;
};

/// With the token in its command line, by which its processes are found. Nothing where the servers are missing.
inline std::optional<server_settings> settings_of(const interop_guest& one, const std::string& token,
                                                  const temporary_folder& folder) {
  const std::string_view script = one.script;
  std::vector<std::string> arguments{token};
  // Their first argument is the transport.
  if (script == interop::everything || script == interop::everything_old) arguments = {"stdio", token};
  if (script == interop::filesystem) {  // every argument is a folder
    arguments = {folder / token};
    std::filesystem::create_directory(arguments.front());
  }
  arguments.insert(arguments.end(), one.more.begin(), one.more.end());
  auto found = interop_server(one.script, std::move(arguments));
  if (!found) return std::nullopt;
  stdio_settings child{.command = found->program, .args = found->arguments};
  // Else it writes beside its own code.
  if (script == interop::memory) child.env["MEMORY_FILE_PATH"] = folder / "memory.jsonl";
  return server_settings{.name = one.name, .transport = std::move(child), .protocol = one.protocol};
}

}  // namespace hawser::testing
