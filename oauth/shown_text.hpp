// SPDX-License-Identifier: MIT
// What an authorization server says, made fit to be shown to a person: one short line without anything that controls,
// hides or reorders. Terminals are escaped for once more, elsewhere.
#pragma once

#include <string>
#include <string_view>

namespace hawser {

/// At most 200 bytes of it, then "...". What is not UTF-8 becomes a question mark.
std::string shown_text(std::string_view said);

}  // namespace hawser
