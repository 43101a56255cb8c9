// SPDX-License-Identifier: MIT
// What the host and its keeper say to each other, over SOCK_SEQPACKET sockets on one machine between two programs of
// one build: plain structs, no versions. No standard library: the keeper links none.
#pragma once

#include <cstdint>

namespace hawser::keeper_protocol {

/// Where the keeper finds its descriptors.
constexpr int host_socket = 3;   // requests from the host
constexpr int host_process = 4;  // a pidfd of the host: readable when the host is dead, whoever holds its sockets
constexpr int own_image = 5;     // the memory file the keeper was started from, if it was

/// Host to keeper, with these descriptors attached, in this order: payload, the child's 0, 1 and 2, and the child's
/// control socket. The payload file holds `directory`, then the arguments, then the environment, each with its NUL.
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
  exited,   // number = wait status of the process that was started; others of its tree may live on
  stray,    // number = pid, name: a process that had left the group was ended, or (detail = 1) could not be
  gone,     // nobody of the tree is left; the last report
};
enum class start_step : std::int32_t {
  fork,
  directory,
  execute,
  interpreter,  // the file is there; what its first line names, or its loader, is not
};

struct report {
  report_kind kind;
  std::int32_t number;
  std::int32_t detail;
  char name[20];  // NOLINT(cppcoreguidelines-avoid-c-arrays,modernize-avoid-c-arrays): crosses a process boundary
};

/// Host to warden, one byte each.
constexpr char command_terminate = 'T';  // SIGTERM to the group and to whoever left it
constexpr char command_kill = 'K';       // SIGKILL to everybody, again and again until nobody is left

}  // namespace hawser::keeper_protocol
