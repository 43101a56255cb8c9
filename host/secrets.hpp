// SPDX-License-Identifier: MIT
// Which of a server's settings are secrets: they are taken out of logs, traces and errors.
#pragma once

#include "../runtime/redaction.hpp"
#include "settings.hpp"

namespace hawser {

void hide_secrets(const server_settings& of, redaction& in);

/// The address without the values of its query, which may be keys.
std::string shown_url(std::string_view url);

}  // namespace hawser
