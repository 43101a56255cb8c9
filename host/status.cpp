// SPDX-License-Identifier: MIT
#include "status.hpp"

namespace hawser {

std::string_view to_string(server_state state) noexcept {
  switch (state) {
    case server_state::stopped: return "stopped";
    case server_state::starting: return "starting";
    case server_state::ready: return "ready";
    case server_state::degraded: return "degraded";
    case server_state::needs_auth: return "needs_auth";
    case server_state::failed: break;
  }
  return "failed";
}

std::string format_duration(duration length) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(length).count();
  return std::to_string(ms / 1000) + '.' + std::to_string(ms % 1000 / 100) + " s";
}

std::string login_advice(std::string_view server) { return "`hawser auth " + std::string{server} + "` logs in"; }

}  // namespace hawser
