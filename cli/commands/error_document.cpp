// SPDX-License-Identifier: MIT
#include "error_document.hpp"

#include "../../transports/json/json_text.hpp"
#include "../../transports/json/json_validator.hpp"

namespace hawser::cli {

std::string error_json(const error& why) {
  std::string json = "{\"message\":" + json_string(why.what);
  json.append(",\"code\":").append(json_string(to_string(why.code)));
  json.append(",\"executed\":").append(why.executed == execution::no ? "\"no\"" : "\"unknown\"");
  if (!why.server.empty()) json.append(",\"server\":").append(json_string(why.server));
  if (!why.phase.empty()) json.append(",\"phase\":").append(json_string(why.phase));
  if (!why.data.empty() && validate_json(why.data)) json.append(",\"data\":").append(why.data);
  if (why.code == errc::remote) json.append(",\"rpc_code\":").append(std::to_string(why.native));
  if (why.retry_after) json.append(",\"retry_after\":").append(std::to_string(why.retry_after->count()));
  return json + '}';
}

void print_error_document(output& to, const error& why) {
  to.line(escaped_json("{\"error\":" + error_json(why) + '}'));
}

std::string with_failures(std::string object, std::span<const error> failures) {
  if (failures.empty()) return object;
  object.pop_back();
  if (!object.ends_with('{')) object += ',';
  object.append("\"error\":").append(error_json(failures.front()));
  if (failures.size() > 1) {
    object += ",\"errors\":[";
    for (const error& one : failures) {
      if (!object.ends_with('[')) object += ',';
      object += error_json(one);
    }
    object += ']';
  }
  return object + '}';
}

}  // namespace hawser::cli
