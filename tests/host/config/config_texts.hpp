// SPDX-License-Identifier: MIT
// A configuration out of a text, with variables of the test, and what was wrong with it.
#pragma once

#include <map>

#include "../../../host/config/config.hpp"
#include "../../support/contains.hpp"
#include "../../support/ut.hpp"

namespace hawser::testing::configs {

inline const std::map<std::string, std::string, std::less<>> set_variables{
    {"TOKEN", "s3cret"},    {"EMPTY", ""},
    {"NESTED", "${TOKEN}"}, {"LINES", "a\r\nX-Evil: 1"},
    {"HOST", "a.test"},     {"HOME", "/home/somebody"},
    {"ZERO", {"a\0b", 3}},  {"UMLAUT", "gr\xC3\xBC\xC3\x9F"},
};

inline std::optional<std::string> variable(std::string_view name) {
  const auto found = set_variables.find(name);
  if (found == set_variables.end()) return std::nullopt;
  return found->second;
}

inline config_result parse(std::string_view text) { return parse_config(text, "mcp.json", variable); }
inline config_result parse_servers(const std::string& entries) { return parse("{\"mcpServers\":{" + entries + "}}"); }
inline config_result parse_entry(const std::string& members) { return parse_servers("\"a\":{" + members + "}"); }

inline std::string problems_of(const config_result& config) {
  std::string out;
  for (const config_problem& p : config.problems) out += p.text() + '\n';
  return out;
}

}  // namespace hawser::testing::configs
