// SPDX-License-Identifier: MIT
// All the other clients of a run, over one wire. One that dies, hangs or talks nonsense is left out by name, and the
// rest go on.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "other_client.hpp"
#include "report.hpp"

namespace hawser::bench {

/// A client that was asked to take part, and by how much P9 wants Hawser to be faster.
struct invitation {
  std::string name;
  std::string command;  ///< for sh
  std::optional<double> stdio_bar{};
  std::optional<double> http_bar{};
};

/// From "name=command"; the error says what is wrong with the text.
result<invitation> read_invitation(std::string_view text);
/// Those of the command line. TypeScript clients that ./dev could not install are warned of, by name, and left out.
result<std::vector<invitation>> invitations(const settings& s, report& into);

class other_clients {
 public:
  enum class wire : std::uint8_t { stdio, http };
  other_clients(const std::vector<invitation>& who, wire over, report& into);

  task<void> join(keeper& by, call_target to);
  /// Calls that do not count, `count` at a time, until each is as fast as it will be.
  task<void> warm_up(int count);
  /// One round of calls in turn by each.
  task<void> take_turns(int count);
  /// `count` calls by each, so many in flight; the first ones need not be kept.
  task<void> rush(int count, int in_flight, bool keep);
  task<void> end();

  /// Rows for a table, and figures: how often Hawser's p50 goes into theirs, and calls in a second.
  [[nodiscard]] std::vector<candidate> rows() const;
  [[nodiscard]] std::vector<goal> ratios(const settings& s, const distribution& ours) const;
  [[nodiscard]] std::vector<goal> rates() const;
  [[nodiscard]] bool all_took_part() const noexcept { return !lost_; }

 private:
  struct guest {
    explicit guest(const invitation& asked, std::optional<double> wanted)
        : client(asked.name, asked.command), bar(wanted) {}
    other_client client;
    std::optional<double> bar;
    distribution latency{};
    std::vector<double> per_second{};
  };
  task<std::optional<peer_times>> run(std::size_t which, int count, int in_flight);
  task<void> leave_out(std::size_t which, error why);

  std::vector<std::unique_ptr<guest>> guests_;
  wire over_;
  report& report_;
  bool lost_ = false;
};

const char* name_of(other_clients::wire one) noexcept;

}  // namespace hawser::bench
