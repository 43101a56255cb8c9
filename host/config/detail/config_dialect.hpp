// SPDX-License-Identifier: MIT
// Detects which host's configuration format an entry uses, from keys that only that host has. The dialect determines
// the unit of a plain `timeout` number and the syntax of variables. It is never guessed from unusual values.
#pragma once

#include <cstdint>
#include <string_view>

namespace hawser::detail {

enum class config_dialect : std::uint8_t {
  unknown,   ///< no evidence, or conflicting evidence
  hawser,    ///< `timeout` in seconds
  claude,    ///< Claude Code: `timeout` in milliseconds
  gemini,    ///< Gemini CLI: `timeout` in milliseconds, `$NAME`
  cline,     ///< `timeout` in seconds
  opencode,  ///< `timeout` is the startup timeout, or `{startup, request}`, in milliseconds; `{env:NAME}`
};

/// The set of hosts whose keys were found.
class dialect_evidence {
 public:
  void add(config_dialect one) noexcept;
  void add(const dialect_evidence& others) noexcept { seen_ |= others.seen_; }
  [[nodiscard]] bool empty() const noexcept { return seen_ == 0; }
  /// The dialect if exactly one was found; otherwise unknown.
  [[nodiscard]] config_dialect verdict() const noexcept;

 private:
  unsigned seen_ = 0;  // one bit per dialect
};

/// From the keys of an entry. Both functions require a JSON object.
dialect_evidence evidence_in_entry(std::string_view entry);
/// From the file's other top-level keys.
dialect_evidence evidence_in_file(std::string_view root);

/// Whether this is Gemini's `mcp` object, which holds global rules and no servers.
bool is_gemini_policy(std::string_view mcp);

}  // namespace hawser::detail
