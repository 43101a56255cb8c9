// SPDX-License-Identifier: MIT
// Selects the rows of a listing: by patterns over exposed names, by the tools' readOnlyHint, and by whether the server
// is available. A filter only narrows a listing; the permission to call a tool is decided elsewhere, on its row.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../runtime/error.hpp"
#include "tool_row.hpp"

namespace hawser {

/// Which tools pass, by their readOnlyHint. In the configuration: "any", "not-declared-write", "declared-read-only".
enum class tool_access : std::uint8_t {
  any,
  not_declared_write,  ///< excludes `readOnlyHint: false`; tools without the hint pass
  declared_read_only,  ///< only `readOnlyHint: true`
};

/// errc::config names the word and the valid words.
result<tool_access> parse_tool_access(std::string_view word);
[[nodiscard]] std::string_view to_string(tool_access which) noexcept;
[[nodiscard]] bool admits(tool_access which, const tool_hints& hints) noexcept;

class tool_filter {
 public:
  /// Admits everything.
  tool_filter() = default;
  /// A pattern is an exposed name in which `*` matches any characters; a leading `!` excludes. The last pattern that
  /// matches decides. A name that no pattern matches is excluded, but an empty list admits everything. errc::config,
  /// with the pattern, for a pattern that can never match.
  static result<tool_filter> parse(std::span<const std::string> patterns);

  tool_access access = tool_access::any;
  bool only_available = false;  ///< excludes the rows of servers that are unavailable

  [[nodiscard]] bool admits(const tool_row& row) const noexcept;
  [[nodiscard]] bool admits_name(std::string_view exposed) const noexcept;

 private:
  struct pattern {
    std::string glob;
    bool denies;
  };
  std::vector<pattern> patterns_;
};

namespace detail {
/// `*` matches any run of characters; every other character matches itself. At most |glob| x |text| steps: after a `*`
/// the first match is as good as any later one, so only the last `*` is ever retried.
[[nodiscard]] bool glob_matches(std::string_view glob, std::string_view text) noexcept;
}  // namespace detail

}  // namespace hawser
