// SPDX-License-Identifier: MIT
#include "network_zone.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace hawser {

namespace {

using four = std::array<std::uint8_t, 4>;
using sixteen = std::array<std::uint8_t, 16>;

struct v4_network {
  four prefix;
  unsigned bits;
  network_zone zone;
};

constexpr std::uint32_t to_uint32(const four& a) noexcept {
  return std::uint32_t{a[0]} << 24 | std::uint32_t{a[1]} << 16 | std::uint32_t{a[2]} << 8 | a[3];
}

// The IANA registry of special-purpose addresses, plus metadata services of clouds at other addresses. The first match
// counts.
constexpr std::array v4_networks{
    v4_network{{100, 100, 100, 200}, 32, network_zone::refused},  // Alibaba Cloud metadata
    v4_network{{168, 63, 129, 16}, 32, network_zone::refused},    // Azure WireServer
    v4_network{{0, 0, 0, 0}, 8, network_zone::refused},           // "this host": reaches loopback on many systems
    v4_network{{169, 254, 0, 0}, 16, network_zone::refused},      // link-local, metadata
    v4_network{{224, 0, 0, 0}, 4, network_zone::refused},         // multicast
    v4_network{{240, 0, 0, 0}, 4, network_zone::refused},         // reserved, broadcast
    v4_network{{127, 0, 0, 0}, 8, network_zone::loopback},
    v4_network{{10, 0, 0, 0}, 8, network_zone::internal},
    v4_network{{172, 16, 0, 0}, 12, network_zone::internal},
    v4_network{{192, 168, 0, 0}, 16, network_zone::internal},
    v4_network{{100, 64, 0, 0}, 10, network_zone::internal},  // CGNAT of carriers
    v4_network{{192, 0, 0, 0}, 24, network_zone::internal},   // protocol assignments
    v4_network{{198, 18, 0, 0}, 15, network_zone::internal},  // benchmarks
};

network_zone zone_of_v4(const four& address) noexcept {
  const std::uint32_t bits = to_uint32(address);
  for (const v4_network& n : v4_networks)
    if ((bits ^ to_uint32(n.prefix)) >> (32U - n.bits) == 0) return n.zone;
  return network_zone::open;
}

template <std::size_t Count>
bool begins(const sixteen& address, const std::array<std::uint8_t, Count>& prefix) noexcept {
  return std::equal(prefix.begin(), prefix.end(), address.begin());
}

four inner(const sixteen& a, std::size_t at) noexcept { return {a[at], a[at + 1], a[at + 2], a[at + 3]}; }

using bytes2 = std::array<std::uint8_t, 2>;
using bytes4 = std::array<std::uint8_t, 4>;
using bytes6 = std::array<std::uint8_t, 6>;
using bytes12 = std::array<std::uint8_t, 12>;

network_zone zone_of_v6(const sixteen& a) noexcept {
  if (a == ip_address::loopback_v6().bytes()) return network_zone::loopback;
  if (a == sixteen{}) return network_zone::refused;
  if (a == sixteen{0xFD, 0, 0x0E, 0xC2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54}) return network_zone::refused;  // AWS
  if (begins(a, bytes12{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF})) return zone_of_v4(inner(a, 12));  // mapped
  if (begins(a, bytes12{})) return zone_of_v4(inner(a, 12));                        // "compatible", long deprecated
  if (begins(a, bytes12{0, 0x64, 0xFF, 0x9B})) return zone_of_v4(inner(a, 12));     // NAT64
  if (begins(a, bytes6{0, 0x64, 0xFF, 0x9B, 0, 1})) return network_zone::internal;  // local-use NAT64
  if (begins(a, bytes2{0x20, 0x02})) return zone_of_v4(inner(a, 2));                // 6to4
  if (begins(a, bytes4{0x20, 0x01, 0, 0})) {                                        // Teredo: inverted
    four client = inner(a, 12);
    for (std::uint8_t& byte : client) byte = static_cast<std::uint8_t>(~byte);
    return zone_of_v4(client);
  }
  if (a[0] == 0xFF) return network_zone::refused;                            // multicast
  if (a[0] == 0xFE && (a[1] & 0xC0) == 0x80) return network_zone::refused;   // link-local
  if (a[0] == 0xFE && (a[1] & 0xC0) == 0xC0) return network_zone::internal;  // site-local, deprecated
  if ((a[0] & 0xFE) == 0xFC) return network_zone::internal;                  // unique local
  return network_zone::open;
}

}  // namespace

network_zone zone_of(const ip_address& address) noexcept {
  if (address.kind() == ip_address::family::v6) return zone_of_v6(address.bytes());
  return zone_of_v4(inner(address.bytes(), 0));
}

std::string_view to_string(network_zone zone) noexcept {
  switch (zone) {
    case network_zone::open: return "public";
    case network_zone::internal: return "private";
    case network_zone::loopback: return "loopback";
    case network_zone::refused: return "refused";
  }
  return "unknown";
}

}  // namespace hawser
