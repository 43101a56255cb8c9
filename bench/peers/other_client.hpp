// SPDX-License-Identifier: MIT
// Another MCP client that takes part in a run: an external command that speaks the protocol of bench/peers/README.md.
// Every wait for it is bounded, and none of its processes is left after end().
#pragma once

#include <optional>
#include <string>

#include "../../runtime/process/keeper.hpp"
#include "peer_protocol.hpp"

namespace hawser::bench {

/// How long a client may take before it counts as hanging. Calls may take long: some clients sleep between reads.
struct wait_limits {
  duration connect = std::chrono::seconds{30};
  duration run = std::chrono::seconds{10};
  duration call = std::chrono::milliseconds{20};  ///< in addition, for each call of a run
};

class other_client {
 public:
  /// `command` is run by sh.
  other_client(std::string name, std::string command, wait_limits how_long = {});

  /// Starts it and waits until it has connected. After an error of join() or run(), only end() may be called.
  task<result<void>> join(keeper& by, call_target to);
  task<result<peer_times>> run(int count, int in_flight);
  /// Ends its whole process tree; bounded. Must be awaited before destruction if join() was called.
  task<void> end();

  /// Includes the version that it reported when it joined.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  task<result<std::string>> answer_to(std::string line, int calls);
  task<result<std::string>> read_line(std::size_t longest);
  task<error> describe(error why);

  std::string name_;
  std::string command_;
  wait_limits wait_limits_;
  std::optional<child> process_;
};

}  // namespace hawser::bench
