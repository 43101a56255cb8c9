// SPDX-License-Identifier: MIT
#include "remote_error.hpp"

#include <utility>

#include "../json/json_text.hpp"
#include "protocol_table.hpp"

namespace hawser {

namespace {

// It is kept, and searched for secrets, as often as the error is told.
constexpr std::size_t max_data = std::size_t{64} * 1024;

// A server that names the request in a parse error has parsed it; whatever it could not parse came later.
bool proves_not_executed(int code, error_id id, std::string_view revision) noexcept {
  const protocol::error_rule* rule = protocol::find_error(code, revision);
  if (rule == nullptr) return false;
  if (rule->dispatched == protocol::dispatch::refused_if_no_id) return id == error_id::none;
  return rule->dispatched == protocol::dispatch::refused;
}

}  // namespace

error remote_error(std::string_view json, std::string_view revision, const redaction& hidden, error_id id,
                   std::size_t max_text) {
  error e{.code = errc::remote, .what = text_of(find_member(json, "message")).value_or(std::string{})};
  const std::int64_t number = integer_of(find_member(json, "code")).value_or(0);
  e.native = std::in_range<int>(number) ? static_cast<int>(number) : 0;
  const std::string_view data = find_member(json, "data");
  if (data.size() <= max_data) e.data = data;
  if (e.what.empty()) e.what = "the server reports an error without a message";
  if (e.what.size() > max_text) e.what = hidden.apply_truncated(e.what, max_text) + " …";
  if (data.size() > max_data) e.what += " (its data of " + std::to_string(data.size()) + " bytes is left out)";
  std::size_t codes = 0;
  for_each_member(json, [&](std::string_view name, std::string_view) {
    if (same_name(name, "code")) ++codes;
    return true;
  });
  // If there are two codes, it is unknown which one is meant.
  e.executed = codes == 1 && proves_not_executed(e.native, id, revision) ? execution::no : execution::unknown;
  return e;
}

}  // namespace hawser
