// SPDX-License-Identifier: MIT
// One entry of a settings file, read into server_settings.
#pragma once

#include <cstdint>
#include <optional>

#include "config_reader.hpp"

namespace hawser::detail {

/// Whose habits an entry follows. Most differences need no telling apart: nobody else has the key.
enum class config_shape : std::uint8_t {
  common,
  opencode,  ///< `timeout` is of the start, in milliseconds
};

/// Nothing if anything about it is an error; `from` has been told what.
std::optional<server_settings> read_server(const config_member& entry, config_shape shape, config_reader& from);

}  // namespace hawser::detail
