// SPDX-License-Identifier: MIT
// The exposed name of a tool, under which a model sees it. It is a pure function of server and tool name: it does not
// change while the tool exists, and does not depend on other servers or on the order in which they connect. Calls are
// routed by looking the name up in the table, never by splitting it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "../runtime/error.hpp"

namespace hawser {

struct naming_options {
  std::string separator = "__";  ///< "__", "_" or "."
  std::size_t limit = 64;        ///< maximum bytes of a name; 64 works with every model's API, some allow up to 128
};

/// errc::config, with the name of the setting, if the separator or the limit is invalid.
result<naming_options> validate_naming(naming_options names);

/// Writes the exposed name to `to`, which has space for `names.limit` bytes, and returns its length. Precondition:
/// `validate_naming(names)` succeeded.
///
/// The name is `server__tool` if that is unambiguous: only letters, digits, `_` and `-`, within the limit, no empty
/// part, the first separator directly after the server's name (so that two pairs never get the same name), and no
/// ending that looks like a hash suffix. Otherwise every other character becomes `_`, the name is truncated, and `_`
/// plus eight characters of a hash of both names is appended. Plain and suffixed names never collide. A native tool has
/// no server and keeps its own name under the same rules.
std::size_t write_exposed_name(const naming_options& names, std::string_view server, std::string_view tool,
                               char* to) noexcept;

/// Whether a tool of this server could have the exposed name. Used before the server has listed its tools.
/// Precondition: the server's name is not empty.
bool could_expose(const naming_options& names, std::string_view server, std::string_view exposed) noexcept;

/// Like write_exposed_name(), but returns a string.
std::string exposed_name(const naming_options& names, std::string_view server, std::string_view tool);

}  // namespace hawser
