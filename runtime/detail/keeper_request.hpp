// SPDX-License-Identifier: MIT
// What a start asks of the keeper: the texts of a command and the descriptors of its child, and how both get there.
// What becomes of it is keeper.cpp's. For the sources of runtime/ only.
#pragma once

#include <array>

#include "../command.hpp"
#include "../error.hpp"
#include "../keeper/protocol.hpp"
#include "../task.hpp"
#include "unique_fd.hpp"

namespace hawser::detail {

struct keeper_process;

struct child_ends {
  unique_fd ours;  // empty where the child gets something that the host has no end of
  unique_fd child;
};
result<child_ends> make_ends(stdio kind, int standard);

/// The texts of the request in a memory file: their size has no limit that a message would set.
result<unique_fd> make_payload(const command& what, keeper_protocol::start_request& header);

using request_attachments = std::array<int, keeper_protocol::request_descriptors>;

/// Sends the request, however many others are under way. Unbounded.
task<result<void>> ask(keeper_process& keeper, keeper_protocol::start_request header, request_attachments attached);

}  // namespace hawser::detail
