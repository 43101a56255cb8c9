// SPDX-License-Identifier: MIT
// Calls of names that are not in the table: which servers could expose the tool, and waiting for those that are
// starting.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server_slots.hpp"

namespace hawser::detail {

class tool_lookup {
 public:
  /// `changed` is set when the table or the state of a server has changed.
  tool_lookup(const registry& table, const server_slots& servers, const naming_options& naming, event& changed)
      : table_(table), servers_(servers), naming_(naming), changed_(changed) {}
  tool_lookup(const tool_lookup&) = delete;
  tool_lookup& operator=(const tool_lookup&) = delete;
  ~tool_lookup() = default;

  /// The possible owners whose tools are still to be listed; lazy ones are started. None while the servers do not run.
  [[nodiscard]] std::vector<std::shared_ptr<server>> starting_owners(std::string_view name) const;
  /// Waits until the name is in the table, or no server that could expose it is starting; at most for the limits of the
  /// request. `owners`: from starting_owners(), not empty.
  task<result<void>> wait_until_listed(std::string name, std::vector<std::shared_ptr<server>> owners,
                                       const request_options& request) const;
  /// errc::tool_unknown, with the state of every server that could expose the name.
  [[nodiscard]] error unknown_tool_error(const std::string& name) const;

 private:
  task<result<void>> wait_for_owners(std::string name) const;
  task<result<void>> wait_for_owners_within(duration longest, std::string name) const;

  const registry& table_;
  const server_slots& servers_;
  const naming_options& naming_;
  event& changed_;
};

}  // namespace hawser::detail
