// SPDX-License-Identifier: MIT
// Options: which server of the user is measured, with which call, and for how long.
#pragma once

#include <string>
#include <vector>

#include "../../host/config/settings.hpp"

namespace hawser::bench {

/// The command-line options; either `url` or `command` is empty.
struct server_options {
  std::string url{};
  std::vector<std::string> headers{};  ///< "K: V"
  std::string type = "auto";           ///< auto, http or sse
  std::vector<std::string> command{};
  std::vector<std::string> env{};  ///< "K=V", or "K": the value from the environment
  std::string cwd{};
  std::string tool{};       ///< empty: chosen automatically
  std::string arguments{};  ///< a JSON object; empty: chosen automatically
  double seconds = 0;       ///< for everything after the first start; 0: 20, or 4 for a quick run
  double timeout_seconds = 10;
  double start_timeout_seconds = 30;
};

/// errc::config names the wrong option, and never a value that may be a secret.
result<server_settings> settings_for(const server_options& options);

}  // namespace hawser::bench
