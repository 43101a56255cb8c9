// SPDX-License-Identifier: MIT
// The rows of one server in the registry, and which of its tools the configuration (`tools` and `access`) admits: for
// the rows, and for each call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "../status.hpp"
#include "configured_server.hpp"
#include "tool_reference.hpp"

namespace hawser {

/// What is known about a server's tools. Only a current list can admit calls: cached tools of an earlier run have rows.
enum class tool_list_state : std::uint8_t {
  current,
  being_read,  ///< the list is being read, or is about to be read again
  unreadable,
};

/// Tools of a list that could not be read.
struct skipped_tools {
  std::size_t count = 0;
  std::vector<omitted_tool> described{};
};

class tool_rows {
 public:
  explicit tool_rows(const configured_server& server);
  tool_rows(const tool_rows&) = delete;
  tool_rows& operator=(const tool_rows&) = delete;
  ~tool_rows() = default;

  /// Replaces the rows by the admitted tools of `listed`.
  void publish(const std::shared_ptr<const tool_list>& listed, skipped_tools skipped = {});
  /// The server accepts calls: the rows no longer expire.
  void set_available();
  void set_unavailable();
  void remove();
  /// remove() is due then; no effect without rows.
  void set_expiry(time_point expiry);
  [[nodiscard]] const std::optional<time_point>& expiry() const noexcept { return expiry_; }

  /// Whether a call of the tool is admitted.
  [[nodiscard]] result<void> admits_call(std::string_view tool, tool_list_state list_state) const;
  /// The same for a target that was found before a wait and may be outdated: every start lists the tools again. Updates
  /// it to the current table.
  [[nodiscard]] result<void> resolve(tool_reference& target, tool_list_state list_state) const;

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] std::size_t refused() const noexcept { return refused_; }
  [[nodiscard]] const std::vector<omitted_tool>& omitted() const noexcept { return omitted_; }

 private:
  [[nodiscard]] std::shared_ptr<const tool_list> admitted(const std::shared_ptr<const tool_list>& listed) const;
  void report_table(const registry::outcome& outcome) const;

  const configured_server& server_;
  tool_filter filter_;
  std::shared_ptr<const tool_list> admitted_;     // the listed tools that the configuration admits
  std::vector<std::string_view> admitted_names_;  // their names, sorted
  std::size_t count_ = 0;
  std::size_t refused_ = 0;
  std::vector<omitted_tool> omitted_;
  std::optional<time_point> expiry_;
};

}  // namespace hawser
