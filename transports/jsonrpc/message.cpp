// SPDX-License-Identifier: MIT
#include "message.hpp"

#include <boost/json/value.hpp>

#include "../json/json_text.hpp"
#include "../json/json_tree.hpp"
#include "../json/json_validator.hpp"

namespace hawser {

std::optional<request_id> request_id::from_json(std::string_view json) {
  if (auto text = text_of(json)) return request_id{*std::move(text)};
  // To us -0 and 0 are the same id, but the side that chose it may distinguish them.
  if (const auto number = integer_of(json); number && json != "-0") return request_id{*number};
  if (is_number(json)) return request_id{other_number{std::string{json}}};
  return std::nullopt;
}

std::string request_id::json() const {
  if (const auto* number = std::get_if<std::int64_t>(&value_)) return std::to_string(*number);
  if (const auto* text = std::get_if<std::string>(&value_)) return json_string(*text);
  return std::get<other_number>(value_).text;
}

raw_json::raw_json(const message_view& whole, std::string_view part) {
  if (whole.storage != nullptr && !part.empty()) {
    storage_ = std::move(*whole.storage);  // its bytes keep their address
    text_ = part;
  } else {
    storage_ = byte_buffer::copy_of(part);
    text_ = storage_.view();
  }
}

raw_json::raw_json(std::string_view text) : storage_(byte_buffer::copy_of(text)), text_(storage_.view()) {}

namespace {

// An exceeded limit is reported unchanged.
error no_result(error why) {
  if (why.code == errc::too_large) return why;
  return {.code = errc::protocol, .what = "the result is not JSON: " + why.what, .executed = execution::unknown};
}

}  // namespace

result<void> raw_json::check(json_limits limits) const {
  auto valid = validate_json(text_, limits);
  if (valid) return valid;
  return no_result(valid.error());
}

result<std::size_t> raw_json::check_tree(json_limits limits) const {
  auto valid = check_json_tree(text_, limits);
  if (valid) return valid;
  return no_result(valid.error());
}

result<boost::json::value> raw_json::parse(json_limits limits) const {
  auto tree = json_tree(text_, limits);
  if (tree) return tree;
  return no_result(tree.error());
}

}  // namespace hawser
