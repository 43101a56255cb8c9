// SPDX-License-Identifier: MIT
// Reads one entry of a configuration file into server_settings.
#pragma once

#include <optional>

#include "config_reader.hpp"

namespace hawser::detail {

/// nullopt if the entry has an error; `from` has recorded it.
std::optional<server_settings> read_server(const config_member& entry, config_dialect dialect, config_reader& from);

}  // namespace hawser::detail
