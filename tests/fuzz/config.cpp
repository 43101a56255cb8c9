// SPDX-License-Identifier: MIT
// Any text is settings or a report: whatever is wrong has a place in the text, and nothing is kept of a text that is
// not usable. The search for a fault finds one exactly where the validator does not accept the text.
#include "../../host/config/config.hpp"
#include "../../host/config/detail/config_text.hpp"
#include "../../transports/json/json_validator.hpp"
#include "target.hpp"

namespace {

std::optional<std::string> variable(std::string_view name) {
  if (name == "SET") return "value ${SET}\r\n";
  return std::nullopt;
}

std::string difference(std::string_view text) {
  using namespace hawser;
  if (detail::find_fault(text).has_value() == validate_json(text).has_value()) return "fault or not";
  std::string blanked{text};
  const auto unclosed = detail::blank_comments(blanked);
  if (blanked.size() != text.size() || (unclosed && unclosed->offset >= text.size())) return "another size";
  for (std::size_t i = 0; i < text.size(); ++i)
    if (blanked[i] != text[i] && (blanked[i] != ' ' || text[i] == '\n')) return "more than blanks";

  const auto config = parse_config(text, "f", variable);
  if (!config.usable && (config.problems.empty() || !config.settings.servers.empty())) return "unusable";
  for (const config_problem& p : config.problems) {
    if (p.line < 1 || p.column < 1 || p.what.empty()) return "a problem without a place";
    if (p.text().find('\n') != std::string::npos) return "a problem of two lines";
  }
  for (const server_settings& s : config.settings.servers) {
    const auto* remote = std::get_if<http_settings>(&s.transport);
    if (s.name.empty() || s.origin.empty()) return "a server without a name";
    if (remote == nullptr) continue;
    for (const auto& [name, value] : remote->headers)
      if ((name + value).find_first_of("\r\n") != std::string::npos) return "a header of two lines";
  }
  return "";
}

}  // namespace

void hawser::testing::fuzz_one(std::string_view input) { must_be_empty(difference(input)); }
