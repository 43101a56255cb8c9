// SPDX-License-Identifier: MIT
// The messages between the host and its keeper, over SOCK_SEQPACKET sockets on one machine. Both programs come from one
// build: plain structs, no versions. No standard library: the keeper links none.
#pragma once

#include <cstdint>

namespace hawser::keeper_protocol {

/// The descriptor numbers in the keeper.
constexpr int host_socket = 3;   // requests from the host
constexpr int host_process = 4;  // a pidfd of the host: readable when it is dead, even if others hold its sockets
constexpr int own_image = 5;     // the memory file that the keeper was started from, if any

/// Host to keeper, with these descriptors attached, in this order: payload, the child's 0, 1 and 2, and the child's
/// control socket. The payload file holds the directory, the arguments and the environment, each text terminated by
/// NUL.
struct start_request {
  std::uint32_t payload_size;
  std::uint32_t argument_count;
  std::uint32_t environment_count;
};
constexpr int request_descriptors = 5;

/// Warden to host, on the control socket.
enum class report_kind : std::uint32_t {
  started,  // number = pid
  failed,   // number = errno, detail = start_step; nothing was started
  exited,   // number = wait status of the started process; others of its tree may still run
  stray,    // number = pid, name: a process outside the group was killed, or (detail = 1) could not be
  gone,     // no process of the tree is left; the last report
};
enum class start_step : std::int32_t {
  fork,
  directory,
  execute,
  interpreter,  // the file exists, but its interpreter (first line of a script) or its loader does not
};

struct report {
  report_kind kind;
  std::int32_t number;
  std::int32_t detail;
  char name[20];  // NOLINT(cppcoreguidelines-avoid-c-arrays,modernize-avoid-c-arrays): crosses a process boundary
};

/// Host to warden, one byte each.
constexpr char command_terminate = 'T';  // SIGTERM to the group and to processes that left it
constexpr char command_kill = 'K';       // SIGKILL to the whole tree, repeated until no process is left

}  // namespace hawser::keeper_protocol
