// SPDX-License-Identifier: MIT
// Whose settings file an entry stands in, told by keys that only that host has. It decides what a plain number of
// `timeout` counts and how variables are written; never told by a value that merely looks unusual.
#pragma once

#include <cstdint>
#include <string_view>

namespace hawser::detail {

enum class config_dialect : std::uint8_t {
  unknown,   ///< nothing shows it, or different things show different hosts
  hawser,    ///< `timeout` in seconds
  claude,    ///< Claude Code: `timeout` in milliseconds
  gemini,    ///< Gemini CLI: `timeout` in milliseconds, `$NAME`
  cline,     ///< `timeout` in seconds
  opencode,  ///< `timeout` of the start, or `{startup, request}`, in milliseconds; `{env:NAME}`
};

/// Which hosts the keys that were looked at belong to.
class dialect_evidence {
 public:
  void add(config_dialect one) noexcept;
  void add(const dialect_evidence& others) noexcept { seen_ |= others.seen_; }
  [[nodiscard]] bool empty() const noexcept { return seen_ == 0; }
  /// The only one that was seen; else unknown.
  [[nodiscard]] config_dialect verdict() const noexcept;

 private:
  unsigned seen_ = 0;  // a bit for each
};

/// By the keys of an entry. Precondition of both: a JSON object.
dialect_evidence evidence_in_entry(std::string_view entry);
/// By what else the file has beside servers.
dialect_evidence evidence_in_file(std::string_view root);

/// Whether this is Gemini's `mcp`, which says what holds for all servers, and has none.
bool is_gemini_policy(std::string_view mcp);

}  // namespace hawser::detail
