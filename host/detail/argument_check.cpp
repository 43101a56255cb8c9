// SPDX-License-Identifier: MIT
#include "argument_check.hpp"

#include <algorithm>

#include "../../transports/json/json_text.hpp"
#include "../../transports/json/json_validator.hpp"

namespace hawser::detail {

result<void> check_arguments(std::string_view arguments) {
  if (arguments.empty()) return {};
  if (auto valid = validate_json(arguments); !valid) return prefixed("the arguments are no JSON", valid.error());
  if (arguments[arguments.find_first_not_of(" \t\r\n")] != '{')
    return error{.code = errc::parse, .what = "the arguments are no JSON object"};
  return {};
}

result<void> check_method(std::string_view method) {
  const bool plain = std::all_of(method.begin(), method.end(), [](char c) { return c > 0x20 && c < 0x7F; });
  if (plain && !method.empty()) return {};
  return error{.code = errc::config,
               .what = "the method " + json_string(method) +
                       " is refused: it is empty or has spaces, control "
                       "characters or others than ASCII"};
}

}  // namespace hawser::detail
