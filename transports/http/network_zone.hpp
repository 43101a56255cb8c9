// SPDX-License-Identifier: MIT
// Classifies addresses by how far inside a network they lie. A URL from a server must not lead further inside than the
// address the user entered, and some addresses are never connected to.
#pragma once

#include <cstdint>
#include <string_view>

#include "../../runtime/io/address.hpp"

namespace hawser {

/// Ordered from outside to inside, so that `<` means "further outside". Nothing connects to a refused address.
enum class network_zone : std::uint8_t {
  open,      ///< the internet
  internal,  ///< private networks, also of carriers (CGNAT)
  loopback,
  refused,  ///< link-local, the metadata services of clouds, unspecified, multicast, broadcast, reserved
};

/// An IPv4 address inside an IPv6 address (mapped, NAT64, 6to4, Teredo) determines the zone.
network_zone zone_of(const ip_address& address) noexcept;
std::string_view to_string(network_zone zone) noexcept;

}  // namespace hawser
