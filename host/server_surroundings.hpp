// SPDX-License-Identifier: MIT
// Dependencies that all servers of a host share.
#pragma once

#include <functional>
#include <string_view>

#include "../oauth/server_login.hpp"
#include "../registry/registry.hpp"
#include "../runtime/keeper.hpp"
#include "../runtime/semaphore.hpp"
#include "network.hpp"
#include "server_memory.hpp"
#include "session.hpp"
#include "settings.hpp"
#include "status.hpp"

namespace hawser {

/// Outlives the servers.
struct server_surroundings {
  session_surroundings session;
  const host_settings& settings;
  keeper& starter;
  semaphore& starts;  ///< limits how many servers start at once
  registry& tools;
  const server_memory& memory;
  network& net;
  const login_surroundings& logins;
  bool allow_spawn = true;
  bool allow_network = true;
  std::function<void(const host_change&)> tell{};
  std::function<void(std::string_view server, std::string_view line)> trace{};
};

}  // namespace hawser
