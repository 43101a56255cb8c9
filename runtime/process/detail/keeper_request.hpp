// SPDX-License-Identifier: MIT
// The start request to the keeper: the texts of a command, the descriptors of its child, and how both are sent.
// keeper.cpp handles the answer. For the sources of runtime/ only.
#pragma once

#include <array>

#include "../../async/task.hpp"
#include "../../error.hpp"
#include "../../io/detail/unique_fd.hpp"
#include "../../keeper/protocol.hpp"
#include "../command.hpp"

namespace hawser::detail {

struct keeper_process;

struct child_ends {
  unique_fd ours;  // empty if the host has no end, as with inherit and null
  unique_fd child;
};
result<child_ends> make_ends(stdio kind, int standard);

/// The texts of the request in a memory file, so that no message size limits them.
result<unique_fd> make_payload(const command& what, keeper_protocol::start_request& header);

using request_attachments = std::array<int, keeper_protocol::request_descriptors>;

/// Sends the request; waits while the socket is full. Unbounded.
task<result<void>> send_start_request(keeper_process& keeper, keeper_protocol::start_request header,
                                      request_attachments attached);

}  // namespace hawser::detail
