// SPDX-License-Identifier: MIT
// Challenges out of any bytes are made of what the grammar allows, read the same when they are written down, and a
// fault behind them takes nothing away. An input is one field a line.
#include "../../transports/http/challenge.hpp"

#include "../../transports/http/http_fields.hpp"
#include "target.hpp"

namespace hawser::testing {

namespace {

std::string written(const challenge& one) {
  std::string text = one.scheme;
  if (!one.token68.empty()) text += ' ' + one.token68;
  const char* before = " ";
  for (const auto& [name, value] : one.parameters) {
    text.append(before).append(name).append("=\"");
    for (const char c : value) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += '"';
    before = ", ";
  }
  return text;
}

void check(const challenge& one) {
  if (!valid_field_name(one.scheme)) must_be_empty("a scheme that is no token");
  if (!one.token68.empty() && !one.parameters.empty()) must_be_empty("a token68 beside parameters");
  for (const auto& [name, value] : one.parameters) {
    if (!valid_field_name(name)) must_be_empty("a name that is no token");
    for (const char c : name)
      if (c >= 'A' && c <= 'Z') must_be_empty("a name in upper case");
    for (const char c : value)
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F) must_be_empty("a value that controls");
  }
}

}  // namespace

void fuzz_one(std::string_view input) {
  std::vector<std::string> lines;
  std::vector<challenge> one_by_one;
  while (!input.empty()) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    lines.emplace_back(input.substr(0, end));
    input.remove_prefix(std::min(end + 1, input.size()));
    for (challenge& one : read_challenges({lines.back()})) one_by_one.push_back(std::move(one));
  }
  const auto all = read_challenges(lines);
  if (all != one_by_one) must_be_empty("a line changes what another one says");
  std::string together;
  for (const challenge& one : all) {
    check(one);
    if (read_challenges({written(one)}) != std::vector{one}) must_be_empty("reads differently: " + written(one));
    together.append(together.empty() ? "" : ", ").append(written(one));
  }
  if (read_challenges({together}) != all) must_be_empty("reads differently in one line: " + together);
  if (read_challenges({together + ", \x01"}) != all) must_be_empty("a fault takes away what came before it");
  const challenge* bearer = bearer_challenge(all);
  if (bearer != nullptr && !equal_ignoring_case(bearer->scheme, "Bearer")) must_be_empty("a bearer that is none");
}

}  // namespace hawser::testing
