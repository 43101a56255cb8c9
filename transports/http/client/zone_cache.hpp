// SPDX-License-Identifier: MIT
// Remembers the zone of the first connection to each host name. Plain HTTP does not authenticate the server, so a
// public name that later resolves to an address further inside (DNS rebinding) must not be connected to. Not kept
// between runs.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "../network_zone.hpp"

namespace hawser {

class zone_cache {
 public:
  /// nullopt: it was never connected to.
  [[nodiscard]] std::optional<network_zone> first(const std::string& host) const {
    const auto known = zones_.find(host);
    return known == zones_.end() ? std::nullopt : std::optional{known->second};
  }
  /// Call after a connection; only the first one of a host counts.
  void note(const std::string& host, network_zone zone) { zones_.try_emplace(host, zone); }

 private:
  std::map<std::string, network_zone> zones_;
};

}  // namespace hawser
