// SPDX-License-Identifier: MIT
// Checks whether a text has a format that a form asks for. Meant to catch typing errors only; does not check that an
// address exists.
#pragma once

#include <string_view>

namespace hawser::cli {

bool is_email(std::string_view text) noexcept;
bool is_uri(std::string_view text) noexcept;
bool is_date(std::string_view text) noexcept;       ///< 2026-02-28
bool is_date_time(std::string_view text) noexcept;  ///< 2026-02-28T12:00:00Z, by RFC 3339

/// A URL split at its host. The host is empty if there is none: "mailto:", or not a URL at all.
struct url_parts {
  std::string_view before{};  ///< scheme, user and password
  std::string_view host{};
  std::string_view behind{};
  bool has_user = false;    ///< "https:  // "https://bank.example@evil.example": misleading
  bool is_foreign = false;  ///< has non-ASCII characters or is written in punycode
};
url_parts split_url(std::string_view url) noexcept;

}  // namespace hawser::cli
