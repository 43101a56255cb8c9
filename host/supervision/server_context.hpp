// SPDX-License-Identifier: MIT
// Dependencies that all servers of a host share.
#pragma once

#include <functional>
#include <string_view>

#include "../../oauth/server_login.hpp"
#include "../../registry/registry.hpp"
#include "../../runtime/async/semaphore.hpp"
#include "../../runtime/process/keeper.hpp"
#include "../config/settings.hpp"
#include "../session/session.hpp"
#include "../status.hpp"
#include "http_channel_factory.hpp"
#include "server_cache.hpp"

namespace hawser {

/// Outlives the servers.
struct server_context {
  session_context session;
  const host_settings& settings;
  keeper& starter;
  semaphore& starts;  ///< limits how many servers start at once
  registry& tools;
  const server_cache& cache;
  http_channel_factory& channels;
  const login_context& logins;
  bool allow_spawn = true;
  bool allow_network = true;
  std::function<void(const host_change&)> on_change{};
  std::function<void(std::string_view server, std::string_view line)> trace{};
};

}  // namespace hawser
