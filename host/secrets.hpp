// SPDX-License-Identifier: MIT
// Which of a server's settings are secrets: they are taken out of logs, traces and errors.
#pragma once

#include "../runtime/redaction.hpp"
#include "settings.hpp"

namespace hawser {

void hide_secrets(const server_settings& of, redaction& in);

}  // namespace hawser
