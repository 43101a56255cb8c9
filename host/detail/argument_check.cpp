// SPDX-License-Identifier: MIT
#include "argument_check.hpp"

#include "../../transports/json_validator.hpp"

namespace hawser::detail {

result<void> check_arguments(std::string_view arguments) {
  if (arguments.empty()) return {};
  if (auto valid = validate_json(arguments); !valid) return prefixed("the arguments are no JSON", valid.error());
  if (arguments[arguments.find_first_not_of(" \t\r\n")] != '{')
    return error{.code = errc::parse, .what = "the arguments are no JSON object"};
  return {};
}

}  // namespace hawser::detail
