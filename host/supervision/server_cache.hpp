// SPDX-License-Identifier: MIT
// Disk cache of what is useful to know before a server is started again: its tools and protocol revision. One small
// file per server; deleting it only costs time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "../../registry/tool.hpp"
#include "../../runtime/async/task.hpp"
#include "../../runtime/error.hpp"
#include "../config/settings.hpp"

namespace hawser {

struct cached_server {
  std::string revision{};
  std::int64_t last_probed = 0;  ///< when the server last answered the era probe, in seconds since 1970; 0 = never
  std::shared_ptr<const tool_list> tools{};
};

class server_cache {
 public:
  /// An empty folder disables the cache.
  explicit server_cache(std::string folder) : folder_(std::move(folder)) {}

  /// Returns nothing if there is no valid file for exactly this configuration. errc::config if the file or folder could
  /// have been written by others or does not belong to the user, as for stored credentials; see private_folder.
  task<result<std::optional<cached_server>>> load(const server_settings& server, std::size_t max_tools) const;
  /// Writes only if the content has changed or the file is half a day old. Tools of more than 33 MiB, which load()
  /// would not read, are not written.
  task<result<void>> store(const server_settings& server, cached_server cached) const;

  /// Whether the entry is recent enough to rely on: a legacy server may have been upgraded since.
  static bool is_recent(const cached_server& cached, std::int64_t now) noexcept;
  static std::int64_t now() noexcept;

 private:
  [[nodiscard]] std::string servers_folder() const { return folder_ + "/servers"; }
  std::string folder_;
};

}  // namespace hawser
