// SPDX-License-Identifier: MIT
#include "config_dialect.hpp"

#include <array>
#include <bit>
#include <string>

#include "../../../transports/json/json_text.hpp"

namespace hawser::detail {

namespace {

struct telling_key {
  std::string_view name;
  config_dialect whose;
};

constexpr std::array keys_of_entries{
    telling_key{"access", config_dialect::hawser},          telling_key{"concurrency", config_dialect::hawser},
    telling_key{"inherit_env", config_dialect::hawser},     telling_key{"lazy", config_dialect::hawser},
    telling_key{"protocol", config_dialect::hawser},        telling_key{"proxy", config_dialect::hawser},
    telling_key{"restart", config_dialect::hawser},         telling_key{"silence", config_dialect::hawser},
    telling_key{"startup_timeout", config_dialect::hawser}, telling_key{"alwaysLoad", config_dialect::claude},
    telling_key{"headersHelper", config_dialect::claude},   telling_key{"request_timeout_ms", config_dialect::claude},
    telling_key{"excludeTools", config_dialect::gemini},    telling_key{"httpUrl", config_dialect::gemini},
    telling_key{"includeTools", config_dialect::gemini},    telling_key{"trust", config_dialect::gemini},
    telling_key{"transportType", config_dialect::cline},    telling_key{"environment", config_dialect::opencode},
};

bool has_array(std::string_view object, std::string_view key) { return find_member(object, key).starts_with('['); }

}  // namespace

void dialect_evidence::add(config_dialect one) noexcept {
  if (one != config_dialect::unknown) seen_ |= 1U << static_cast<unsigned>(one);
}

config_dialect dialect_evidence::verdict() const noexcept {
  if (!std::has_single_bit(seen_)) return config_dialect::unknown;
  return static_cast<config_dialect>(std::countr_zero(seen_));
}

dialect_evidence evidence_in_entry(std::string_view entry) {
  dialect_evidence found;
  for_each_member(entry, [&](std::string_view key, std::string_view value) {
    for (const telling_key& one : keys_of_entries)
      if (key == one.name) found.add(one.whose);
    const bool of_opencode = (key == "command" && value.starts_with('[')) ||
                             (key == "timeout" && value.starts_with('{')) || (key == "type" && value == R"("remote")");
    if (of_opencode) found.add(config_dialect::opencode);
    return true;
  });
  return found;
}

dialect_evidence evidence_in_file(std::string_view root) {
  dialect_evidence found;
  for_each_member(root, [&](std::string_view key, std::string_view value) {
    if (key == "hawser") found.add(config_dialect::hawser);
    if (key == "numStartups" || (key == "projects" && value.starts_with('{'))) found.add(config_dialect::claude);
    if (key == "mcp" && is_gemini_policy(value)) found.add(config_dialect::gemini);
    if (key == "$schema" && value.find("opencode.ai/") != std::string_view::npos) found.add(config_dialect::opencode);
    return true;
  });
  return found;
}

bool is_gemini_policy(std::string_view mcp) {
  return mcp.starts_with('{') && (has_array(mcp, "allowed") || has_array(mcp, "excluded"));
}

}  // namespace hawser::detail
