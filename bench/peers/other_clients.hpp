// SPDX-License-Identifier: MIT
// All other clients of a run, over one transport. A client that exits, hangs or sends invalid data is named and left
// out; the others continue.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../report/report.hpp"
#include "other_client.hpp"

namespace hawser::bench {

/// A client to run, and the factor by which P9 requires Hawser to be faster.
struct peer_spec {
  std::string name;
  std::string command;  ///< run by sh
  std::optional<double> stdio_bar{};
  std::optional<double> http_bar{};
};

/// Parses "name=command"; the error describes what is wrong with the text.
result<peer_spec> parse_peer_spec(std::string_view text);
/// The clients of the command line. TypeScript clients that ./dev could not install are left out with a warning that
/// names them.
result<std::vector<peer_spec>> peer_specs(const settings& s, report& into);

class other_clients {
 public:
  enum class wire : std::uint8_t { stdio, http };
  other_clients(const std::vector<peer_spec>& who, wire over, report& into);

  task<void> join(keeper& by, call_target to);
  /// Calls that are not measured, `count` at a time, until each client has reached its full speed.
  task<void> warm_up(int count);
  /// One round of sequential calls by each client.
  task<void> run_round(int count);
  /// `count` calls by each client with `in_flight` of them concurrent; the results are kept if `keep`.
  task<void> run_concurrently(int count, int in_flight, bool keep);
  task<void> end();

  /// Rows for a table, and figures: the ratio of their p50 to Hawser's, and calls per second.
  [[nodiscard]] std::vector<candidate> rows() const;
  [[nodiscard]] std::vector<goal> ratios(const settings& s, const distribution& ours) const;
  [[nodiscard]] std::vector<goal> rates() const;
  [[nodiscard]] bool all_took_part() const noexcept { return !lost_; }

 private:
  struct participant {
    explicit participant(const peer_spec& asked, std::optional<double> wanted)
        : client(asked.name, asked.command), bar(wanted) {}
    other_client client;
    std::optional<double> bar;
    distribution latency{};
    std::vector<double> per_second{};
  };
  task<std::optional<peer_times>> run(std::size_t which, int count, int in_flight);
  task<void> leave_out(std::size_t which, error why);

  std::vector<std::unique_ptr<participant>> participants_;
  wire over_;
  report& report_;
  bool lost_ = false;
};

const char* name_of(other_clients::wire one) noexcept;

}  // namespace hawser::bench
