// SPDX-License-Identifier: MIT
// `${NAME}` and `${NAME:-default}` in a text of the settings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../config.hpp"

namespace hawser::detail {

/// As in a shell, the default also stands in for a variable that is set to nothing. `${env:NAME}` is how VS Code writes
/// `${NAME}`. What a variable holds is taken as it is, `${` and all, so that nobody's environment is read into another
/// place. The error names the variable and has no place; its code is errc::config. What may be a secret of what was put
/// in is added to `hidden`: the value of every variable but those like HOME, and a default that looks like a token.
result<std::string> expand(std::string_view text, const variables& env, std::vector<std::string>& hidden);

}  // namespace hawser::detail
