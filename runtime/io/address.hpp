// SPDX-License-Identifier: MIT
// IP addresses and endpoints as values, without sockaddr.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hawser {

class ip_address {
 public:
  enum class family : std::uint8_t { v4, v6 };

  /// 0.0.0.0
  ip_address() = default;
  static ip_address v4(std::array<std::uint8_t, 4> bytes) noexcept;
  static ip_address v6(std::array<std::uint8_t, 16> bytes, std::uint32_t scope = 0) noexcept;
  static ip_address loopback_v4() noexcept { return v4({127, 0, 0, 1}); }
  static ip_address loopback_v6() noexcept;
  /// Dotted quad or RFC 4291 text. Strict: no octal, hexadecimal or shortened quads, no brackets, no zone.
  static std::optional<ip_address> parse(std::string_view text);

  [[nodiscard]] family kind() const noexcept { return family_; }
  /// IPv4 uses the first four.
  [[nodiscard]] const std::array<std::uint8_t, 16>& bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::uint32_t scope() const noexcept { return scope_; }
  [[nodiscard]] std::string to_string() const;

  friend auto operator<=>(const ip_address&, const ip_address&) = default;

 private:
  family family_ = family::v4;
  std::array<std::uint8_t, 16> bytes_{};
  std::uint32_t scope_ = 0;
};

struct endpoint {
  ip_address address;
  std::uint16_t port = 0;

  [[nodiscard]] std::string to_string() const;  ///< `127.0.0.1:80`, `[::1]:80`
  friend auto operator<=>(const endpoint&, const endpoint&) = default;
};

}  // namespace hawser
