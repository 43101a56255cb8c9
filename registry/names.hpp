// SPDX-License-Identifier: MIT
// Under which name a model sees a tool. A pure function of server and tool: the name does not change while the tool
// exists, and does not depend on who else is there or who came first. Calls are routed by looking a name up in the
// table, never by taking it apart.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "../runtime/error.hpp"

namespace hawser {

struct naming {
  std::string separator = "__";  ///< "__", "_" or "."
  std::size_t limit = 64;        ///< bytes a name may have; 64 suits every model's API, up to 128 suit some
};

/// errc::config, naming the setting, if the separator or the limit is not one we know.
result<naming> checked(naming names);

/// Writes the exposed name to `to`, which has room for `names.limit` bytes; returns its length. Precondition:
/// `checked(names)` found nothing.
///
/// `server__tool` where that is clean: letters, digits, `_` and `-` only, within the limit, nothing empty, the first
/// separator the one behind the server's name (so that no two pairs meet in one name), and no ending that looks like a
/// suffix of ours. Else each other character becomes `_`, the name is cut, and `_` with eight characters of a hash over
/// both names is put behind: clean and suffixed names never meet. A native tool has no server and keeps its own name
/// under the same rules.
std::size_t write_exposed_name(const naming& names, std::string_view server, std::string_view tool, char* to) noexcept;

/// Whether a tool of this server could have the exposed name: what is known of a name before the server has listed its
/// tools. Precondition: the server's name is not empty.
bool could_expose(const naming& names, std::string_view server, std::string_view exposed) noexcept;

/// The same as write_exposed_name(), for who needs only one.
std::string exposed_name(const naming& names, std::string_view server, std::string_view tool);

}  // namespace hawser
