// SPDX-License-Identifier: MIT
// The client's clientInfo and capabilities, serialised once.
#pragma once

#include <string>
#include <string_view>

#include "input_handlers.hpp"
#include "negotiated_peer.hpp"

namespace hawser {

class client_profile {
 public:
  /// An empty name means Hawser's own.
  client_profile(const implementation& identity, const input_handlers& handlers);

  /// The params of `initialize`.
  [[nodiscard]] std::string initialize_params(std::string_view revision) const;
  /// The members of `_meta` in every request of the modern era.
  [[nodiscard]] std::string modern_meta(std::string_view revision) const;

 private:
  std::string info_;
  std::string capabilities_;
};

}  // namespace hawser
