// SPDX-License-Identifier: MIT
// How far inside a network an address lies. What a server on the outside names must not lead further inside than the
// address the user typed, and some places nobody may be led to.
#pragma once

#include <cstdint>
#include <string_view>

#include "../runtime/address.hpp"

namespace hawser {

/// From the outside to the inside, so that `<` means "is further outside"; nothing connects to a refused one.
enum class network_zone : std::uint8_t {
  open,      ///< the internet
  internal,  ///< private networks, also of carriers
  loopback,
  refused,  ///< link-local, the metadata services of clouds, unspecified, multicast, broadcast, reserved
};

/// An IPv4 address inside an IPv6 address (mapped, NAT64, 6to4, Teredo) is judged by what it is inside.
network_zone zone_of(const ip_address& address) noexcept;
std::string_view to_string(network_zone zone) noexcept;

}  // namespace hawser
