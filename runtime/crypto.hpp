// SPDX-License-Identifier: MIT
// The little cryptography every room needs. OpenSSL does the work; its types stay in crypto.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hawser {

/// From any thread, like everything here.
std::array<std::uint8_t, 32> sha256(std::string_view bytes);

/// From the system's generator by way of OpenSSL; without randomness the process ends rather than go on guessable.
std::string random_bytes(std::size_t count);

/// RFC 4648. The URL form has no padding, as PKCE and JWT want it.
std::string base64(std::string_view bytes);
std::string base64url(std::string_view bytes);
/// Strict: the right alphabet, canonical trailing bits, padding required in the one form and refused in the other.
std::optional<std::string> from_base64(std::string_view text);
std::optional<std::string> from_base64url(std::string_view text);

/// Takes as long for a wrong first byte as for a wrong last one; the lengths are no secret.
bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept;

/// Before anything of OpenSSL is used: its cleanup at exit() would run before the destructors of static objects, among
/// them perhaps a host whose loop thread still uses it. Without effect where the program has initialised OpenSSL
/// itself.
void keep_openssl_until_the_end() noexcept;

/// Overwrites memory in a way the compiler does not remove.
void cleanse(void* memory, std::size_t size) noexcept;

/// Bytes that must not be seen: it wipes itself, and has no formatter, no stream operator and no conversion.
class secret {
 public:
  secret() = default;
  explicit secret(std::string_view bytes) : bytes_(bytes.begin(), bytes.end()) {}
  secret(const secret&) = default;
  secret(secret&& other) noexcept { *this = std::move(other); }
  secret& operator=(const secret& other);
  secret& operator=(secret&& other) noexcept;
  ~secret() { wipe(); }

  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
  /// The one way to the bytes; the name is meant to stand out where it is used.
  [[nodiscard]] std::string_view reveal() const noexcept { return {bytes_.data(), bytes_.size()}; }
  friend bool operator==(const secret& a, const secret& b) noexcept {
    return equal_in_constant_time(a.reveal(), b.reveal());
  }

 private:
  void wipe() noexcept;
  std::vector<char> bytes_;  // not a string: its small-buffer form would leave copies behind when moved
};

}  // namespace hawser
