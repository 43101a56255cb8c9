// SPDX-License-Identifier: MIT
// One entry of a settings file, read into server_settings.
#pragma once

#include <optional>

#include "config_reader.hpp"

namespace hawser::detail {

/// Nothing if anything about it is an error; `from` has been told what.
std::optional<server_settings> read_server(const config_member& entry, config_dialect dialect, config_reader& from);

}  // namespace hawser::detail
