// SPDX-License-Identifier: MIT
#include "native_tool_check.hpp"

#include "../../transports/json/json_text.hpp"
#include "../../transports/json/json_validator.hpp"

namespace hawser::detail {

namespace {

// JSON Schema also allows `true` and `false`; MCP tools do not.
result<void> check_native_schema(std::string_view schema) {
  if (auto valid = validate_json(schema); !valid) return error{.code = errc::config, .what = valid.error().what};
  if (schema[schema.find_first_not_of(" \t\r\n")] != '{')
    return error{.code = errc::config, .what = "it is not a JSON object"};
  return {};
}

}  // namespace

result<void> check_native_tool(const native_tool& added, const naming_options& names) {
  const auto refused = [](std::string what) { return error{.code = errc::config, .what = std::move(what)}; };
  if (added.name.empty()) return refused("a native tool needs a name");
  if (!added.function) return refused("the native tool \"" + added.name + "\" needs a function");
  const std::string tool = " of the tool \"" + added.name + '"';
  if (const std::string exposed = exposed_name(names, "", added.name); exposed != added.name)
    return refused("a native tool named \"" + added.name + "\" would be exposed as \"" + exposed +
                   "\": use letters, digits, \"_\" and \"-\", at most " + std::to_string(names.limit) +
                   " of them, and no ending like that one");
  if (auto checked = check_native_schema(added.input_schema); !checked)
    return prefixed("the input schema" + tool, checked.error());
  const std::string_view input = added.input_schema;
  const std::string_view type = find_member(input.substr(input.find('{')), "type");
  if (!type.empty() && type != R"("object")")
    return refused("the input schema" + tool + ": its type is " + std::string{type} + ", and arguments are an object");
  if (added.output_schema.empty()) return {};
  if (auto checked = check_native_schema(added.output_schema); !checked)
    return prefixed("the output schema" + tool, checked.error());
  return {};
}

}  // namespace hawser::detail
