// SPDX-License-Identifier: MIT
// How calls ended, counted by kind, with an example of each.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "../runtime/error.hpp"

namespace hawser::bench {

struct call_end {
  enum class kind : std::uint8_t {
    answered,
    tool_error,  ///< the tool says isError
    refused,     ///< the server answered with an error
    timed_out,
    unreachable,  ///< the connection ended, or could not be made
    malformed,    ///< the answer was none
    given_up,     ///< by us: a stop, or the end of the time
  };
  static constexpr std::size_t kinds = 7;

  kind how = kind::answered;
  bool may_have_run = false;  ///< it failed, and nobody knows whether it was executed
  bool fatal = false;         ///< no later call can do better
  std::string text{};         ///< what the server or we say about it

  static call_end of(const error& why);
};

/// "timed out" and its like.
const char* to_string(call_end::kind how) noexcept;

class tally {
 public:
  struct row {
    std::uint64_t count = 0;
    std::string example{};  ///< the first one's text
  };
  void add(const call_end& one);
  void add(const tally& more);

  [[nodiscard]] const row& of(call_end::kind how) const noexcept { return rows_[static_cast<std::size_t>(how)]; }
  [[nodiscard]] std::uint64_t answered() const noexcept { return of(call_end::kind::answered).count; }
  /// All but those that were answered and those that we gave up.
  [[nodiscard]] std::uint64_t failed() const noexcept;
  /// Of which nobody knows whether they were executed.
  [[nodiscard]] std::uint64_t unknown() const noexcept { return unknown_; }
  [[nodiscard]] std::uint64_t all() const noexcept;

 private:
  std::array<row, call_end::kinds> rows_{};
  std::uint64_t unknown_ = 0;
};

}  // namespace hawser::bench
