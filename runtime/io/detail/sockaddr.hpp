// SPDX-License-Identifier: MIT
// Conversion between `endpoint` and sockaddr; for the sources of runtime/ only.
#pragma once

#include <sys/socket.h>

#include <optional>

#include "../address.hpp"

namespace hawser::detail {

sockaddr_storage to_sockaddr(const endpoint& e) noexcept;
std::optional<endpoint> from_sockaddr(const sockaddr* address) noexcept;

}  // namespace hawser::detail
