// SPDX-License-Identifier: MIT
// What is known about the client that sent a request: in the legacy era from `initialize`, in the modern era from the
// request's own `_meta`. None of it is verified.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "service.hpp"

namespace hawser {

/// The limit in bytes for the client's capabilities and, separately, for its clientInfo. Both are kept as long as the
/// session.
inline constexpr std::size_t max_client_text = std::size_t{64} << 10;
/// The invalid-params error for a member that exceeds max_client_text.
error client_text_too_long(std::string_view member);

struct client_description {
  std::string revision;
  std::string capabilities = "{}";
  std::string info = "{}";

  [[nodiscard]] bool modern() const noexcept;
  /// The capabilities, as a JSON object, that the client would have to declare to be sent this request; empty if it
  /// has declared them.
  [[nodiscard]] std::string missing_capabilities(const input_request& question) const;
};

/// The client of a modern request, from its params. Checks that all required `_meta` keys are present and that the
/// revision is one of `served`. On failure, returns the error to send.
result<client_description> read_modern_client(std::string_view params, std::span<const std::string_view> served);

/// Revisions as a JSON array, newest first, because a client without a preference takes the first.
std::string newest_first(std::span<const std::string_view> revisions);
/// Error -32022 (unsupported protocol version) with the list of served revisions.
error unsupported_version(std::string_view requested, std::span<const std::string_view> served);

}  // namespace hawser
