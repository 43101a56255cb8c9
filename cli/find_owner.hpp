// SPDX-License-Identifier: MIT
// What servers list beside tools, and which server a resource or a prompt belongs to.
#pragma once

#include <boost/json/array.hpp>
#include <string>
#include <vector>

#include "errand.hpp"

namespace hawser::cli {

/// What one server lists.
struct server_list {
  std::string server{};
  list_kind what{};
  boost::json::array elements{};
};

struct server_lists {
  std::vector<server_list> all{};
  exit_code code = exit_code::ok;  ///< of those that could not be asked, which was printed
};

/// Starts the servers (`only` one, if that is not empty) and lists what they have of these kinds, all at the same time.
/// An error only if a stop came first, or there is no server.
task<result<server_lists>> lists_of(errand& e, std::string only, std::vector<list_kind> kinds);

/// The lists without secrets, to be printed: a server may say again what it was told. Not for finding anything.
void redact(errand& e, server_lists& lists);

/// A member that is a text; empty if it is none.
std::string text_in(const boost::json::value& element, std::string_view member);

/// The server that lists an element whose `member` is `value`. Asks nobody if `server` says it already. When one has
/// it, the others get a moment longer; who has not answered by then is named on stderr and not waited for.
/// errc::tool_unknown if nobody does, or more than one.
task<result<std::string>> find_owner(errand& e, std::string server, list_kind what, std::string member,
                                     std::string value);

}  // namespace hawser::cli
