// SPDX-License-Identifier: MIT
// What was learned about a server and is worth knowing before it is started again: its tools and the revision it spoke.
// One small file per server in a folder of the user's; it is a cache, and losing it costs time only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "../registry/tool.hpp"
#include "../runtime/error.hpp"
#include "../runtime/task.hpp"
#include "settings.hpp"

namespace hawser {

struct remembered_server {
  std::string revision{};
  std::int64_t seen = 0;  ///< when the server last said of which era it is, in seconds since 1970; 0 = it never did
  std::shared_ptr<const tool_list> tools{};
};

class server_memory {
 public:
  /// An empty folder remembers nothing.
  explicit server_memory(std::string folder) : folder_(std::move(folder)) {}

  /// Nothing if there is no file, or none that is sound and about this very configuration. errc::config for a file or
  /// folder that others could have written or that is not the user's own, as for a file with logins; see
  /// private_folder.
  task<result<std::optional<remembered_server>>> recall(const server_settings& about, std::size_t max_tools) const;
  /// Written only if it says something new, or the old one is half a day old. Tools of more than 33 MiB, which recall()
  /// would not read, are not written.
  task<result<void>> keep(const server_settings& about, remembered_server what) const;

  /// Whether it was learned so recently that it may be relied on: a legacy server may have been upgraded since.
  static bool recent(const remembered_server& what, std::int64_t now) noexcept;
  static std::int64_t now() noexcept;

 private:
  [[nodiscard]] std::string servers_folder() const { return folder_ + "/servers"; }
  std::string folder_;
};

}  // namespace hawser
