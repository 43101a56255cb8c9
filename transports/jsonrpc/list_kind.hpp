// SPDX-License-Identifier: MIT
// The lists that a server can offer.
#pragma once

#include <cstdint>

namespace hawser {

enum class list_kind : std::uint8_t { tools, resources, resource_templates, prompts };

}  // namespace hawser
