// SPDX-License-Identifier: MIT
// Lists of resources and prompts, and which server a resource or a prompt belongs to.
#pragma once

#include <boost/json/array.hpp>
#include <string>
#include <vector>

#include "command_context.hpp"

namespace hawser::cli {

/// One list of one server.
struct server_list {
  std::string server{};
  list_kind what{};
  boost::json::array elements{};
};

struct server_lists {
  std::vector<server_list> all{};
  exit_code code = exit_code::ok;  ///< of the servers that could not be asked; already printed
};

/// Starts the servers (only `only`, if it is not empty) and reads their lists of these kinds concurrently. Fails only
/// if it was stopped or there is no server.
task<result<server_lists>> read_lists(command_context& e, std::string only, std::vector<list_kind> kinds);

/// Redacts secrets before the lists are printed: a server may echo secrets that it was given. Do not search in
/// redacted lists.
void redact(command_context& e, server_lists& lists);

/// A string member; empty if it is not a string.
std::string string_member(const boost::json::value& element, std::string_view member);

/// The server that lists an element whose `member` is `value`. Asks no server if `server` is given. After one server
/// has it, the others get a little more time; those that have not answered by then are named on stderr.
/// errc::tool_unknown if no server has it, or more than one.
task<result<std::string>> find_owner(command_context& e, std::string server, list_kind what, std::string member,
                                     std::string value);

}  // namespace hawser::cli
