// SPDX-License-Identifier: MIT
// Whether a text looks like what a form asks for. Mistakes of typing are to be found, nothing more: whether an address
// exists only its server knows.
#pragma once

#include <string_view>

namespace hawser::cli {

bool is_email(std::string_view text) noexcept;
bool is_uri(std::string_view text) noexcept;
bool is_date(std::string_view text) noexcept;       ///< 2026-02-28
bool is_date_time(std::string_view text) noexcept;  ///< 2026-02-28T12:00:00Z, by RFC 3339

/// Where the host of a URL stands. Empty if there is none: "mailto:", or no URL at all.
struct url_parts {
  std::string_view before{};  ///< scheme, user and password
  std::string_view host{};
  std::string_view behind{};
  bool has_user = false;    ///< "https://bank.example@evil.example": made to deceive
  bool is_foreign = false;  ///< characters beyond ASCII, or written in punycode
};
url_parts split_url(std::string_view url) noexcept;

}  // namespace hawser::cli
