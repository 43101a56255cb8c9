// SPDX-License-Identifier: MIT
// Which rows somebody may see: patterns over exposed names, what the tools say about writing, whether their server is
// there. A filter narrows a listing; permissions to call are decided elsewhere, on the row that is called.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../runtime/error.hpp"
#include "tool_row.hpp"

namespace hawser {

/// How much of writing a tool may admit to. In settings: "any", "not-declared-write", "declared-read-only".
enum class tool_access : std::uint8_t {
  any,
  not_declared_write,  ///< not what says `readOnlyHint: false`; what says nothing passes
  declared_read_only,  ///< only what says `readOnlyHint: true`
};

/// errc::config, with the word and the words there are.
result<tool_access> parse_tool_access(std::string_view word);
[[nodiscard]] std::string_view to_string(tool_access which) noexcept;
[[nodiscard]] bool admits(tool_access which, const tool_hints& hints) noexcept;

class tool_filter {
 public:
  /// Admits everything.
  tool_filter() = default;
  /// Each pattern is an exposed name in which `*` stands for any characters; one with a leading `!` takes away again.
  /// Left to right, the last one that matches wins, and what none matches is out; no patterns at all let everything in.
  /// errc::config, with the pattern, for one that could never match.
  static result<tool_filter> parse(std::span<const std::string> patterns);

  tool_access writing = tool_access::any;
  bool only_available = false;  ///< drops the rows of servers that just went away

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
/// `*` matches any run of characters, all else itself. Never takes more than |glob| x |text| steps: after a `*` the
/// first place that fits is as good as any later one, so that only the last `*` is ever tried again.
[[nodiscard]] bool glob_matches(std::string_view glob, std::string_view text) noexcept;
}  // namespace detail

}  // namespace hawser
