// SPDX-License-Identifier: MIT
// A child as seen by the host: its pipes and the control socket to its warden. For the sources of runtime/ only.
#pragma once

#include <optional>

#include "../../async/event.hpp"
#include "../../io/detail/unique_fd.hpp"
#include "../../keeper/protocol.hpp"
#include "../../loop/detail/handle.hpp"
#include "../../loop/detail/loop_core.hpp"
#include "../child.hpp"

namespace hawser::detail {

struct child_core {
  child_core(loop& l, std::string name) : event_loop(l), program(std::move(name)) {}

  /// Takes ownership of the control socket and polls it.
  result<void> listen(unique_fd socket);
  void send_command(char what) const noexcept;

  loop& event_loop;
  std::string program;
  std::string directory{};  // for error messages
  std::optional<stream> input;
  std::optional<stream> output;
  std::optional<stream> errors;

  unique_fd control;
  unique_handle<uv_poll_t> poll;

  int pid = 0;
  std::optional<error> failure;  // why it was not started
  std::optional<keeper_protocol::start_step> failed_step;
  std::optional<exit_status> status;  // of the process itself
  std::vector<std::string> strays;
  std::vector<std::string> unkillable;

  event started;  // or failed to start
  event exited;
  event gone;  // no process is left, or the warden is gone; then `status` may be empty

 private:
  void on_readable() noexcept;
  void on_report(const keeper_protocol::report& r);
  void on_disconnect();
};

}  // namespace hawser::detail
