// SPDX-License-Identifier: MIT
// Measures one server of the user, phase by phase. server_results is always up to date, so that the results so far
// can be reported if Ctrl-C or the exit of the server ends the measurement.
#pragma once

#include <string>
#include <vector>

#include "../../host/hub.hpp"
#include "../load/load.hpp"
#include "../process_memory.hpp"
#include "../report/report.hpp"
#include "tool_choice.hpp"

namespace hawser::bench {

struct server_results {
  std::string phase{};  ///< the last phase entered
  std::vector<double> starts_ms{};
  negotiated_peer negotiated{};
  tool_choice chosen{};
  candidate cheapest{};  ///< the cheapest request, without any tool; no name: the server has none
  candidate calls{};
  rate_curve closed{.name = "closed loop"};
  rate_curve open{.name = "open loop, from the intended arrival", .open_loop = true};
  tally ends{};
  memory_use idle{};  ///< of the server after its first response
  memory_use most{};
  memory_use host{};
  std::vector<std::string> missing{};  ///< what there was no time for
};

/// The available time.
struct measurement_time {
  duration length{};
  duration grace{};  ///< for calls in flight at the end
  time_point begin{};

  [[nodiscard]] time_point end() const noexcept { return begin + length; }
  [[nodiscard]] duration part(double share) const noexcept {
    return duration{static_cast<duration::rep>(static_cast<double>(length.count()) * share)};
  }
};

class server_measurement {
 public:
  /// The hub is open and has no server of this name. Everything passed by reference must outlive this object.
  server_measurement(hub& at, server_settings settings, const server_options& options, measurement_time budget,
                     server_results& into)
      : hub_(at), settings_(std::move(settings)), options_(options), budget_(budget), found_(into) {}

  /// Runs until everything is measured. errc::cancelled: stopped. Any other error: of the server or of a request to
  /// it; findings.phase names the phase.
  task<result<void>> run();

 private:
  task<result<void>> start_often();
  task<result<void>> start_once();
  task<result<void>> choose();
  task<result<void>> first_call();
  task<result<void>> one_after_the_other();
  task<result<void>> closed_loops();
  task<result<void>> open_loops();

  void enter(std::string phase);
  bool in_time(const std::string& what, time_point until);
  [[nodiscard]] load_bounds bounds(duration length);
  [[nodiscard]] load_bounds bounds_until(time_point until, std::size_t left);
  result<void> judge(const load_result& one, bool stopped);
  rate_point note(const load_result& one, double offered);
  void look_at_memory();
  [[nodiscard]] one_call call() const;
  [[nodiscard]] one_call cheapest_call() const;

  hub& hub_;
  server_settings settings_;
  const server_options& options_;
  measurement_time budget_;
  server_results& found_;
  hawser::steady_clock clock_;
  server_id id_{};
};

}  // namespace hawser::bench
