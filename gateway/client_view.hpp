// SPDX-License-Identifier: MIT
// What is known of the client behind a request: from `initialize` in the era with a handshake, from the request itself
// in the one without. Nothing of it is verified.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "service.hpp"

namespace hawser {

/// Bytes of the client's capabilities, and of its clientInfo: both are kept as long as its session.
inline constexpr std::size_t longest_client_text = std::size_t{64} << 10;
/// Invalid parameters: one of them is longer.
error too_long(std::string_view member);

struct client_view {
  std::string revision;
  std::string capabilities = "{}";
  std::string info = "{}";

  [[nodiscard]] bool modern() const noexcept;
  /// What the client would have to declare to be asked this, as an object of capabilities; empty where it has.
  [[nodiscard]] std::string missing_for(const input_request& question) const;
};

/// The client of a request without a handshake, from its params: every `_meta` key that it must have is there, and its
/// revision is one of these. Else the error to send.
result<client_view> modern_client(std::string_view params, std::span<const std::string_view> served);

/// Revisions as a JSON array, which is what a client with no better idea takes the first of.
std::string newest_first(std::span<const std::string_view> revisions);
/// -32022 with what is served.
error unsupported_version(std::string_view requested, std::span<const std::string_view> served);

}  // namespace hawser
