// SPDX-License-Identifier: MIT
// Counts how calls ended, by kind, with an example of each.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "../../runtime/error.hpp"

namespace hawser::bench {

struct call_end {
  enum class kind : std::uint8_t {
    answered,
    tool_error,  ///< the tool result has isError
    refused,     ///< the server responded with an error
    timed_out,
    unreachable,  ///< the connection ended or could not be made
    malformed,    ///< the response was invalid
    given_up,     ///< by us: a stop, or the end of the time
  };
  static constexpr std::size_t kinds = 7;

  kind how = kind::answered;
  bool may_have_run = false;  ///< it failed, and whether it was executed is unknown
  bool fatal = false;         ///< no later call can succeed
  std::string text{};         ///< the message of the server or of Hawser

  static call_end of(const error& why);
};

/// For example "timed out".
const char* to_string(call_end::kind how) noexcept;

class tally {
 public:
  struct row {
    std::uint64_t count = 0;
    std::string example{};  ///< the first message of this kind
  };
  void add(const call_end& one);
  void add(const tally& more);

  [[nodiscard]] const row& of(call_end::kind how) const noexcept { return rows_[static_cast<std::size_t>(how)]; }
  [[nodiscard]] std::uint64_t answered() const noexcept { return of(call_end::kind::answered).count; }
  /// All except the answered and the given-up ones.
  [[nodiscard]] std::uint64_t failed() const noexcept;
  /// Those for which it is unknown whether they were executed.
  [[nodiscard]] std::uint64_t unknown() const noexcept { return unknown_; }
  [[nodiscard]] std::uint64_t all() const noexcept;

 private:
  std::array<row, call_end::kinds> rows_{};
  std::uint64_t unknown_ = 0;
};

}  // namespace hawser::bench
