// SPDX-License-Identifier: MIT
#include "redacted_json.hpp"

#include <algorithm>

#include "json/json_text.hpp"
#include "json/json_validator.hpp"

namespace hawser {

std::string redacted_json(const redaction& hidden, std::string_view json) {
  std::string texts;
  while (!json.empty()) {
    const std::size_t begin = std::min(json.find('"'), json.size());
    std::size_t end = begin + 1;
    while (end < json.size() && json[end] != '"') end += json[end] == '\\' ? 2 : 1;
    texts += json.substr(0, begin);
    json.remove_prefix(begin);
    const std::string_view token = json.substr(0, end + 1 - begin);
    const auto text = text_of(token);
    const std::string shown = text ? hidden.apply(*text) : std::string{};
    texts += !text || shown == *text ? std::string{token} : json_string(shown);
    json.remove_prefix(token.size());
  }
  std::string whole = hidden.apply(texts);
  return whole == texts || validate_json(whole) ? whole : json_string(whole);
}

}  // namespace hawser
