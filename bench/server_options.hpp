// SPDX-License-Identifier: MIT
// Which server of the user's is measured, by what call, and for how long.
#pragma once

#include <string>
#include <vector>

#include "../host/settings.hpp"

namespace hawser::bench {

/// The words of the command line; this or that of `url` and `command` is empty.
struct server_options {
  std::string url{};
  std::vector<std::string> headers{};  ///< "K: V"
  std::string type = "auto";           ///< auto, http or sse
  std::vector<std::string> command{};
  std::vector<std::string> env{};  ///< "K=V", or "K": as it is here
  std::string cwd{};
  std::string tool{};       ///< empty: chosen
  std::string arguments{};  ///< a JSON object; empty: chosen
  double seconds = 0;       ///< for everything after the first start; 0: 20, or 4 for a quick look
  double timeout_seconds = 10;
  double start_timeout_seconds = 30;
};

/// errc::config says which option is wrong, and never a value that may be a secret.
result<server_settings> settings_for(const server_options& options);

}  // namespace hawser::bench
